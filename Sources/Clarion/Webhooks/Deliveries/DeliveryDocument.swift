import EventLog
import JSON
import Webhooks

/// Deliveries and their attempts as the API shows them (docs/http-api.md, "Deliveries").
enum DeliveryDocument {
    static func members(_ delivery: DeliverySummary) -> [String: JSONValue] {
        [
            "event": .string(delivery.event.description),
            "topic": .string(delivery.topic.name),
            "type": JSONValue(delivery.type),
            "state": .string(delivery.state.rawValue),
            "attempts": JSONValue(delivery.attempts),
            "status": JSONValue(delivery.status),
            "failure": JSONValue(delivery.failure),
            "nextAttemptAt": delivery.state == .pending ? JSONValue(delivery.notBefore?.rfc3339) : .null,
            "attemptedAt": JSONValue(delivery.attemptedAt?.rfc3339),
            "createdAt": .string(delivery.createdAt.rfc3339),
        ]
    }

    static func attempt(_ attempt: DeliveryAttempt) -> JSONValue {
        [
            "number": JSONValue(attempt.number),
            "at": .string(attempt.at.rfc3339),
            "durationMs": JSONValue(attempt.duration),
            "connectedMs": milliseconds(attempt.connected),
            "securedMs": milliseconds(attempt.secured),
            "answeredMs": milliseconds(attempt.answered),
            "status": JSONValue(attempt.status),
            "failure": JSONValue(attempt.failure),
            "message": JSONValue(attempt.message),
            // Receivers that are in trouble answer in any encoding: what is not UTF-8 becomes U+FFFD.
            "response": .string(String(decoding: attempt.response, as: UTF8.self)),
        ]
    }

    /// An attempt that tried an endpoint out.
    static func test(_ event: String, _ outcome: AttemptOutcome) -> JSONValue {
        let attempt = attempt(outcome.attempt)
        guard case .object(var members) = attempt else { return attempt }
        members["event"] = .string(event)
        members["type"] = .string(WebhookRegistry.testType)
        return .object(members)
    }

    private static func milliseconds(_ microseconds: Int64?) -> JSONValue {
        microseconds.map { .number(Double($0) / 1000) } ?? .null
    }
}
