/// How an attempt went, and what becomes of the delivery.
package struct DeliveryOutcome: Hashable, Sendable {
    package enum State: Hashable, Sendable {
        /// It arrived; it will not be attempted again.
        case delivered
        /// It failed, and is attempted again, no earlier than then by ``DeliveryLog/now``.
        case pending(notBefore: Timestamp)
        /// It failed for the last time: a dead letter.
        case dead
    }

    package let observer: ObserverID
    package let event: Position
    /// How often the delivery had been renewed when the attempt began.
    package let renewals: Int64
    /// What becomes of it.
    package let state: State
    /// The attempt; its number is how many were made by now.
    package let attempt: DeliveryAttempt
    /// How much longer the observer has been failing with it, in milliseconds; without meaning if it arrived.
    package let failing: Int64

    package init(
        observer: ObserverID,
        event: Position,
        renewals: Int64 = 0,
        state: State,
        attempt: DeliveryAttempt,
        failing: Int64 = 0
    ) {
        (self.observer, self.event, self.renewals) = (observer, event, renewals)
        (self.state, self.attempt, self.failing) = (state, attempt, failing)
    }

    /// That a delivery which waits can never be made, as its event is gone where it would be attempted. Nothing was.
    package static func gone(_ event: Position, for observer: ObserverID, at now: Timestamp) -> DeliveryOutcome {
        let attempt = DeliveryAttempt(number: 0, at: now)
        return DeliveryOutcome(observer: observer, event: event, state: .dead, attempt: attempt)
    }

    /// The failure of such a delivery.
    package static let eventGone = "event-gone"

    /// Whether it is of no attempt: attempts are counted from 1.
    var isOfGone: Bool { state == .dead && attempt.number == 0 }
}
