import JSON
import EventLog

extension DeliveryStats {
    /// The figures as the API shows them.
    var json: JSONValue {
        .object([
            "delivered": .number(Double(delivered)),
            "failed": .number(Double(failed)),
            "pending": .number(Double(pending)),
            "deadLetters": .number(Double(deadLetters)),
            "lastStatus": lastStatus.map { .number(Double($0)) } ?? .null,
            "lastAttemptAt": lastAttemptAt.map { .string($0.rfc3339) } ?? .null,
        ])
    }
}
