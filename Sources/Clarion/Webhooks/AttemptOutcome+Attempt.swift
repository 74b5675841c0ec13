import EventLog
import Webhooks

extension AttemptOutcome {
    /// The attempt as it is kept and shown.
    var attempt: DeliveryAttempt {
        DeliveryAttempt(
            number: attempts,
            at: Timestamp(milliseconds: at),
            duration: duration,
            connected: timings?.connected,
            secured: timings?.secured,
            answered: timings?.answered,
            status: status,
            failure: failure?.rawValue,
            message: message,
            response: Array(responsePrefix.prefix(Self.keptResponse))
        )
    }

    /// How many bytes of a response's body are kept with its attempt.
    private static let keptResponse = 1024
}
