import EventLog
import FoundationEssentials
import Webhooks

/// The log's delivery rows as the dispatcher sees them.
struct LogDeliveryStore: DeliveryStore {
    let log: any DeliveryLog

    func dueDeliveries(of endpoint: String, at now: Int64, limit: Int) async throws -> [Delivery] {
        // An ordered endpoint asks for all that is pending, in sequence: what is not due holds the rest back.
        let records =
            now == .max
            ? try await log.pendingDeliveries(of: endpoint, limit: limit)
            : try await log.dueDeliveries(of: endpoint, at: Timestamp(milliseconds: now), limit: limit)
        return records.map { record in
            Delivery(
                id: record.id,
                endpoint: record.observer,
                eventID: record.event.id.description,
                topic: record.event.topic.name,
                type: record.event.type,
                contentType: record.event.contentType,
                body: record.event.data,
                attempts: record.attempts,
                traceparent: EventAttributes(record.event.attributes).traceparent,
                notBefore: record.notBefore.milliseconds
            )
        }
    }

    func nextDelivery(of endpoint: String) async throws -> Int64? {
        try await log.nextDelivery(of: endpoint)?.milliseconds
    }

    func record(_ outcomes: [AttemptOutcome]) async throws {
        try await log.recordOutcomes(
            outcomes.map { outcome in
                let state: DeliveryOutcome.State =
                    switch outcome.result {
                    case .delivered: .delivered
                    case .retry(let notBefore): .pending(notBefore: Timestamp(milliseconds: notBefore))
                    case .dead, .gone: .dead
                    }
                return DeliveryOutcome(
                    delivery: outcome.delivery,
                    attempts: outcome.attempts,
                    state: state,
                    status: outcome.status,
                    failure: outcome.failure?.rawValue,
                    at: Timestamp(milliseconds: outcome.at)
                )
            }
        )
    }
}
