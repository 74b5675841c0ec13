import MicroHTTP
import Notation

/// What lets the pages of allowed origins read answers, and asks them before they send something (CORS, the Fetch
/// standard, <https://fetch.spec.whatwg.org/#http-cors-protocol>).
struct CrossOriginSharing: Sendable {
    let allowed: AllowedOrigins

    /// What a page of another origin may read of an answer's head beside the few fields that any may: all of ours.
    private static let exposed = """
        Accept-Patch, Allow, Clarion-Last-Event-Id, Clarion-Observer-Id, ETag, Event-Type, Idempotent-Replayed, Link, \
        Location, RateLimit, RateLimit-Policy, Request-Id, Retry-After, Server, Vary, WWW-Authenticate
        """

    /// What a request may carry, for a preflight that does not say what it is going to.
    private static let known = """
        Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Last-Event-ID, Request-Id
        """

    /// The fields of every answer to a request, also of those that refuse it.
    func headers(for request: HeaderFields) -> [(name: String, value: String)] {
        guard allowed.takesAny || !allowed.named.isEmpty else { return [] }
        // What a cache keeps for one origin is nothing for another, nor what it keeps for none.
        let vary = [("Vary", "Origin")]
        guard let origin = allowedOrigin(of: request) else { return vary }
        let isNamed = allowed.named.contains(origin)
        return vary
            + [
                ("Access-Control-Allow-Origin", isNamed ? origin : "*"),
                ("Access-Control-Expose-Headers", Self.exposed),
            ]
            + (isNamed ? [("Access-Control-Allow-Credentials", "true")] : [])
    }

    /// The further fields of the answer to a preflight.
    ///
    /// - Parameter methods: what the path takes, as in `Allow`.
    func preflight(_ request: HeaderFields, methods: String) -> [(name: String, value: String)] {
        guard request.contains("Access-Control-Request-Method"), allowedOrigin(of: request) != nil else { return [] }
        // Whatever it names: what a field means is looked at when it comes. A CloudEvent's extensions have any name.
        let asked = request["Access-Control-Request-Headers"] ?? ""
        let isList = asked.utf8.allSatisfy { $0.isTokenCharacter || $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: " ") }
        return [
            ("Access-Control-Allow-Methods", methods),
            ("Access-Control-Allow-Headers", isList && !asked.isEmpty ? asked : Self.known),
            ("Access-Control-Max-Age", "600"),
            ("Vary", "Access-Control-Request-Headers"),
        ]
    }

    /// The one origin that a request is from, if that is allowed.
    private func allowedOrigin(of request: HeaderFields) -> String? {
        let origins = request.values(of: "Origin")
        return origins.count == 1 ? origins.first.flatMap { allowed.contains($0) ? $0 : nil } : nil
    }
}
