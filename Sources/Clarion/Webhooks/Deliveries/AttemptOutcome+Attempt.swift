import EventLog
import Webhooks

extension AttemptOutcome {
    /// The attempt as it is kept and shown.
    var attempt: DeliveryAttempt {
        DeliveryAttempt(
            number: attempts,
            at: Timestamp(milliseconds: at),
            duration: answer.duration,
            connected: answer.timings?.connected,
            secured: answer.timings?.secured,
            answered: answer.timings?.answered,
            status: answer.status,
            failure: answer.failure?.rawValue,
            message: answer.message,
            response: answer.responsePrefix
        )
    }
}
