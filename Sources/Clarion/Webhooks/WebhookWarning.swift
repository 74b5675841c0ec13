import MicroHTTP
import JSON

/// What a client should know of a webhook that was taken, and will not work as it is.
struct WebhookWarning: Hashable, Sendable {
    /// Stable, in kebab case.
    let code: String
    /// What is wrong and what to do about it.
    let detail: String
    /// The member to blame, as a JSON Pointer (RFC 6901).
    let pointer: String

    /// The hub will not dial what stands in the URL.
    static func egressBlocked(_ reason: String) -> WebhookWarning {
        WebhookWarning(code: "egress-blocked", detail: "Every delivery will fail: \(reason).", pointer: "/url")
    }

    /// What the log has of the webhook cannot be read.
    static func unreadable(_ error: any Error) -> WebhookWarning {
        WebhookWarning(
            code: "unreadable",
            detail: "What is stored of it cannot be read, so it gets nothing. Replace it with PUT, or delete it. "
                + "The reason: \(reason(error))",
            pointer: (error as? Problem)?.pointer ?? ""
        )
    }

    /// Why what is stored of a webhook cannot be read.
    static func reason(_ error: any Error) -> String {
        (error as? Problem)?.detail ?? (error as? HubError)?.message ?? "\(error)"
    }

    var json: JSONValue {
        ["code": .string(code), "detail": .string(detail), "pointer": .string(pointer)]
    }
}
