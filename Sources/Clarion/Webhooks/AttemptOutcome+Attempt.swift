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
            response: responsePrefix
        )
    }
}
