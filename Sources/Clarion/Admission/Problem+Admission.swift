import Access
import MicroHTTP

extension Problem {
    private static let realm = "Bearer realm=\"clarion\""

    /// Nobody may do it who shows no credential.
    static let credentialRequired = Problem(
        .unauthorized,
        code: "credential-required",
        detail: """
            This needs a credential: an API key or a token in "Authorization: Bearer …". One in the cookie counts, where \
            something is changed, only if the request says that it is of the hub's own origin or an allowed one.
            """,
        headers: [("WWW-Authenticate", realm)]
    )

    /// A credential that counts for nothing.
    static func credentialInvalid(_ detail: String) -> Problem {
        Problem(
            .unauthorized,
            code: "credential-invalid",
            detail: detail,
            headers: [("WWW-Authenticate", "\(realm), error=\"invalid_token\"")]
        )
    }

    /// A credential of which nothing can be said yet.
    static func keysUnavailable(_ detail: String) -> Problem {
        // An attempt to fetch keys mostly takes less; after one that failed they are asked for again within a minute.
        Problem(
            .unavailable,
            code: "overloaded",
            detail: "\(detail) Try again in a moment.",
            headers: [("Retry-After", "5")]
        )
    }

    /// Several credentials, of which one may be another's.
    static let credentialAmbiguous = Problem(
        .badRequest,
        code: "credential-ambiguous",
        detail: """
            The request shows more than one credential. Send one: the field Authorization, the cookie clarion_token, or the \
            query parameter access_token.
            """
    )

    static func rightMissing(_ right: Right, on topic: String?) -> Problem {
        Problem(
            .forbidden,
            code: "right-missing",
            detail: topic.map { "This needs the right \"\(right.rawValue)\" on \"\($0)\", which the credential lacks." }
                ?? "This needs the right \"\(right.rawValue)\", which the credential lacks.",
            headers: [("WWW-Authenticate", "\(realm), error=\"insufficient_scope\"")],
            members: [("right", right.rawValue)] + (topic.map { [("topic", $0)] } ?? [])
        )
    }

    static func tooManyFailedLogins(seconds: Int) -> Problem {
        Problem(
            .tooManyRequests,
            code: "rate-limited",
            detail: "Too many credentials from this address were not valid. Wait for a minute.",
            headers: [("Retry-After", "\(seconds)")]
        )
    }
}
