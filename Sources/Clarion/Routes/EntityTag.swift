import MicroHTTP

/// Conditional requests (RFC 9110 section 13.1).
enum EntityTag {
    /// Whether an `If-None-Match` or `If-Match` field names the tag, or any.
    static func matches(_ field: String?, _ tag: String) -> Bool {
        guard let field else { return false }
        return field.split(separator: ",").map { $0.drop { $0 == " " } }.contains { candidate in
            let candidate = candidate.hasPrefix("W/") ? candidate.dropFirst(2) : candidate
            return candidate == "*" || candidate == tag
        }
    }

    /// The revision that `If-Match` asks for; nil for any.
    ///
    /// - Throws: 412 `observer-changed` if it is no revision of ours, so that it cannot be the present one.
    static func expectedRevision(_ request: Request) throws(Problem) -> Int64? {
        guard let field = request.headers["If-Match"], field != "*" else { return nil }
        guard let revision = Int64(field.filter { $0 != "\"" }) else {
            throw Problem(
                .preconditionFailed,
                code: "observer-changed",
                detail: "\"If-Match\" is not this observer's ETag.",
                parameter: "If-Match"
            )
        }
        return revision
    }
}
