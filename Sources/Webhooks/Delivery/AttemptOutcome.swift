/// What became of one attempt: what the store records, in one transaction with others.
package struct AttemptOutcome: Sendable, Hashable {
    /// What happens to the delivery.
    package enum Result: Sendable, Hashable {
        /// Answered 200 to 299: done.
        case delivered
        /// Failed; due again at `notBefore`, by ``DeliveryStore/now``.
        case retry(notBefore: Int64)
        /// Failed for the last time: a dead letter.
        case dead
        /// Answered 410: the endpoint wants nothing more. The delivery is a dead letter, the observer is to be disabled.
        case gone

        /// What it is called where it is counted and logged.
        package enum Kind: String, CaseIterable {
            case delivered, retried, dead, gone
        }

        package var kind: Kind {
            switch self {
            case .delivered: .delivered
            case .retry: .retried
            case .dead: .dead
            case .gone: .gone
            }
        }
    }

    /// The delivery's id, which is unique among those of ``endpoint``.
    package var delivery: Int64

    /// How often the delivery had been renewed when the attempt began: if it has been since, this does not settle it.
    package var renewals: Int64 = 0

    /// Their ids.
    package var endpoint: String
    package var event: String

    /// Where the attempt went; the endpoint may have another URL by now.
    package var url: WebhookURL?

    /// The endpoint's generation when the attempt began: see ``Endpoint/generation``.
    package var generation = 0

    /// How many attempts have been made, this one included.
    package var attempts: Int

    package var result: Result

    /// What came of the attempt itself.
    package var answer: AttemptAnswer

    /// When the attempt ended, in milliseconds since 1970.
    package var at: Int64

    /// When the event was committed, in milliseconds since 1970; nil if that is not known.
    package var committedAt: Int64?

    /// How much longer the endpoint has been failing with it, as far as it was tried, in milliseconds; 0 if it did not
    /// fail.
    package var failing: Int64 = 0

    /// What the operator is alerted of with it.
    var alert: FailureAlerts.Alert?
}

extension AttemptOutcome {
    /// The outcome of the attempt after those the delivery has had.
    init(of delivery: DueDelivery, at endpoint: Endpoint, _ answer: AttemptAnswer, _ result: Result, timeOfDay: Int64) {
        self.init(
            delivery: delivery.id,
            renewals: delivery.renewals,
            endpoint: endpoint.id,
            event: delivery.eventID,
            url: endpoint.url,
            generation: endpoint.generation,
            attempts: delivery.attempts + 1,
            result: result,
            answer: answer,
            at: timeOfDay,
            committedAt: delivery.committedAt
        )
    }
}
