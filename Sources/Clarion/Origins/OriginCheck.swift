import MicroHTTP

/// Keeps web pages of other origins from changing anything, unless they are allowed: a browser sends simple requests,
/// such as a posted form, or the loading of an image, without asking first, and the hub's own network position would be
/// the page's.
struct OriginCheck: Sendable {
    let allowed: AllowedOrigins
    let publicURL: PublicURL?

    /// - Throws: 403 `origin-refused` for a request that changes something and comes from a page of another origin.
    func require(_ request: Request) throws(Problem) {
        if !request.method.isSafe { try requireAlways(request) }
    }

    /// The same for any request: what has another's stream ended is a change, whatever the method.
    ///
    /// Browsers give `Origin` to what a page does with CORS or another method than GET, and `Sec-Fetch-Site` (W3C Fetch
    /// Metadata) to everything that they send to a host they trust, loopback among them. What is no browser sends neither.
    ///
    /// - Parameter isByCookie: whether a cookie says who asks: then it is no page of any origin, but of one that was named.
    func requireAlways(_ request: Request, isByCookie: Bool = false) throws(Problem) {
        let takesAny = allowed.takesAny && !isByCookie
        let origins = request.headers.values(of: "Origin")
        for origin in origins where !takesAny && !allowed.named.contains(origin) && !isOwn(origin, request) {
            throw refused(parameter: "Origin")
        }
        // Told by name, it was decided above.
        if takesAny || origins.contains(where: allowed.named.contains) { return }
        // Another port of this host is of the same site, and yet another origin.
        for site in request.headers.values(of: "Sec-Fetch-Site") where site != "same-origin" && site != "none" {
            throw refused(parameter: "Sec-Fetch-Site")
        }
    }

    /// The same for a credential in the target, before it is looked at: any page could guess, at the expense of the address
    /// from which it is read. A link that is followed is let be.
    func requireForTarget(_ request: Request) throws(Problem) {
        if request.headers.values(of: "Sec-Fetch-Dest") != ["document"] { try requireAlways(request) }
    }

    /// Whether a page of another origin, that was not allowed by name, sends a request, or has it sent by a link.
    func isForeign(_ request: Request) -> Bool { (try? requireAlways(request, isByCookie: true)) == nil }

    /// Whether a page of the hub's own origin, or of one that was allowed by name, sends a request.
    func isOfTrustedPage(_ request: Request) -> Bool {
        let origins = request.headers.values(of: "Origin")
        return origins.count == 1 && origins.allSatisfy { allowed.named.contains($0) || isOwn($0, request) }
    }

    private func isOwn(_ origin: String, _ request: Request) -> Bool {
        if let publicURL, publicURL.origin.text.utf8.elementsEqual(origin.utf8) { return true }
        guard let host = request.askedHost else { return false }
        // Only a proxy knows with which of them it was asked.
        let schemes = request.forwardedScheme.map { [$0] } ?? ["http", "https"]
        return schemes.contains { scheme in
            guard let own = try? Origin("\(scheme)://\(String(decoding: host, as: UTF8.self))") else { return false }
            return own.text.utf8.elementsEqual(origin.utf8)
        }
    }

    private func refused(parameter: String) -> Problem {
        Problem(
            .forbidden,
            code: "origin-refused",
            detail: "A page of another origin may change nothing here, name no stream, nor show a credential in a URL.",
            parameter: parameter
        )
    }
}
