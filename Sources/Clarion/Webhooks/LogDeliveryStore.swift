import EventLog
import FoundationEssentials
import Webhooks

/// The log's delivery rows as the dispatcher sees them.
struct LogDeliveryStore: DeliveryStore {
    let log: any DeliveryLog
    /// For how long an endpoint may fail without one success.
    let patience: Duration
    let metrics: HubMetrics
    /// Called for endpoints that are to be disabled, possibly several times for one.
    let onFailed: @Sendable (FailedEndpoint) -> Void

    var now: Int64 { log.now.milliseconds }

    func dueDeliveries(of endpoint: Endpoint, at now: Int64, limit: Int) async throws -> DueDeliveries {
        let records =
            endpoint.ordered
            ? try await log.pendingDeliveries(of: endpoint.id, limit: limit)
            : try await log.dueDeliveries(of: endpoint.id, at: Timestamp(milliseconds: now), limit: limit)
        var due = DueDeliveries(
            records.map { record in
                var delivery = Webhooks.Delivery(id: record.id, of: record.event, to: endpoint.id, in: endpoint.format)
                delivery.renewals = record.renewals
                delivery.attempts = record.attempts
                delivery.notBefore = record.notBefore.milliseconds
                return delivery
            }
        )
        if !endpoint.ordered, records.count < limit {
            // One that is due hides what comes after it: then this is asked again soon.
            due.next = try await log.nextDelivery(of: endpoint.id).map { max($0.milliseconds, now + 1000) }
        }
        return due
    }

    func record(
        _ outcomes: [AttemptOutcome],
        completion: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
        Task {
            do {
                completion(.success(try await record(outcomes)))
            } catch {
                completion(.failure(error))
            }
        }
    }

    private func record(_ outcomes: [AttemptOutcome]) async throws {
        let failing = try await log.recordOutcomes(
            outcomes.map { outcome in
                let state: DeliveryOutcome.State =
                    switch outcome.result {
                    case .delivered: .delivered
                    case .retry(let notBefore): .pending(notBefore: Timestamp(milliseconds: notBefore))
                    case .dead, .gone: .dead
                    }
                return DeliveryOutcome(
                    delivery: outcome.delivery,
                    renewals: outcome.renewals,
                    state: state,
                    attempt: outcome.attempt,
                    failing: outcome.failing
                )
            }
        )
        metrics.count(outcomes)
        var failed: [String: FailedEndpoint] = [:]
        for outcome in outcomes {
            let id = outcome.endpoint
            if outcome.result == .gone {
                failed[id] = FailedEndpoint(id: id, url: outcome.url, reason: .gone)
            } else if failed[id] == nil, outcome.failure != nil, let time = failing[id], time >= patience {
                failed[id] = FailedEndpoint(id: id, url: outcome.url, reason: .failing)
            }
        }
        for endpoint in failed.values { onFailed(endpoint) }
    }
}
