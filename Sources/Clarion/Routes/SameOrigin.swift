import MicroHTTP

/// Keeps web pages of other origins from changing anything: a browser sends simple requests, such as a posted form,
/// without asking first, and the hub's own network position would be the page's.
enum SameOrigin {
    /// - Throws: 403 `origin-forbidden` for a request that changes something and comes from a page of another origin.
    static func require(_ request: Request) throws(Problem) {
        guard request.method != .get, request.method != .head, request.method != .options,
            let origin = request.headers["Origin"]
        else { return }
        let host = request.headers["Host"] ?? ""
        guard origin == "http://\(host)" || origin == "https://\(host)" else {
            throw Problem(
                .forbidden,
                code: "origin-forbidden",
                detail: "A page of \(origin) may not change anything here.",
                parameter: "Origin"
            )
        }
    }
}
