import EventLog
import FoundationEssentials
import Webhooks

/// The log's deliveries as the dispatcher sees them.
struct LogDeliveryStore: DeliveryStore {
    let log: any DeliveryLog
    /// For how long an endpoint may fail without one success.
    let failureLimit: Duration
    let metrics: HubMetrics
    let faults: FaultLog
    /// Called for endpoints that are to be disabled, possibly several times for one.
    let onFailed: @Sendable (FailedEndpoint) -> Void

    var now: Int64 { log.now.milliseconds }
    var timeOfDay: Int64 { log.timeOfDay.milliseconds }

    func isOnDuty(for endpoint: String) -> Bool { log.isOnDuty(for: ObserverID(rawValue: endpoint)) }

    func dueDeliveries(
        of endpoint: Endpoint,
        at now: Int64,
        limit: Int,
        byteLimit: Int
    ) async throws -> Webhooks.DueDeliveries {
        do throws(EventLogError) {
            let due = try await log.dueDeliveries(
                of: ObserverID(rawValue: endpoint.id),
                at: Timestamp(milliseconds: now),
                inOrder: endpoint.ordered,
                limit: limit,
                byteLimit: byteLimit
            )
            let deliveries = due.deliveries.map { record in
                var delivery = DueDelivery(of: record.event, in: endpoint.format)
                delivery.renewals = record.renewals
                delivery.attempts = record.attempts
                delivery.notBefore = record.notBefore.milliseconds
                return delivery
            }
            return Webhooks.DueDeliveries(deliveries, next: due.next?.milliseconds)
        } catch {
            faults.tell(error)
            throw error
        }
    }

    func record(
        _ outcomes: [AttemptOutcome],
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        log.recordOutcomes(outcomes.map(\.deliveryOutcome)) { result in
            if case .failure(let error) = result { faults.tell(error) }
            completion(result.map { take(outcomes, failing: $0) }.mapError { $0 })
        }
    }

    /// Counts outcomes that are recorded, and tells of endpoints that are to be disabled.
    private func take(_ outcomes: [AttemptOutcome], failing: [ObserverID: Duration]) {
        metrics.count(outcomes)
        var failed: [ObserverID: FailedEndpoint] = [:]
        for outcome in outcomes {
            let id = ObserverID(rawValue: outcome.endpoint)
            if outcome.result == .gone {
                let others = failed[id].map { $0.reason == .gone ? $0.deadLetters : 0 } ?? 0
                failed[id] = FailedEndpoint(of: outcome, .gone, deadLetters: others + 1)
            } else if failed[id] == nil, outcome.answer.failure != nil, let time = failing[id], time >= failureLimit {
                failed[id] = FailedEndpoint(of: outcome, .failing)
            }
        }
        for endpoint in failed.values { onFailed(endpoint) }
    }
}

extension FailedEndpoint {
    fileprivate init(of outcome: AttemptOutcome, _ reason: Reason, deadLetters: Int = 0) {
        self.init(
            id: ObserverID(rawValue: outcome.endpoint),
            url: outcome.url,
            generation: outcome.generation,
            reason: reason,
            deadLetters: deadLetters
        )
    }
}

extension AttemptOutcome {
    /// The outcome as the log keeps it.
    fileprivate var deliveryOutcome: DeliveryOutcome {
        let state: DeliveryOutcome.State =
            switch result {
            case .delivered: .delivered
            case .retry(let notBefore): .pending(notBefore: Timestamp(milliseconds: notBefore))
            case .dead, .gone: .dead
            }
        return DeliveryOutcome(
            observer: ObserverID(rawValue: endpoint),
            event: Position(delivery),
            renewals: renewals,
            state: state,
            attempt: attempt,
            failing: failing
        )
    }
}
