import JSON
import EventLog

extension DeliveryStats {
    /// The figures as the API shows them.
    var json: JSONValue {
        [
            "delivered": JSONValue(delivered),
            "failed": JSONValue(failed),
            "pending": JSONValue(pending),
            "deadLetters": JSONValue(deadLetters),
            "lastStatus": JSONValue(lastStatus),
            "lastAttemptAt": JSONValue(lastAttemptAt?.rfc3339),
        ]
    }
}
