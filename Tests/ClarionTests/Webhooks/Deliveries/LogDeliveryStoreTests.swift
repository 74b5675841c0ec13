import MicroHTTP
import CoreMetrics
import EventLog
import Logging
import Testing

@testable import Clarion
@testable import Webhooks

@Suite struct LogDeliveryStoreTests {
    private static let day: Int64 = 86_400_000

    private func outcome(
        _ delivery: Int64,
        attempts: Int = 1,
        failing: Int64,
        _ result: AttemptOutcome.Result
    ) -> AttemptOutcome {
        let isDelivered = result == .delivered
        var outcome = AttemptOutcome(
            delivery: delivery,
            endpoint: "w",
            event: "e-\(delivery)",
            attempts: attempts,
            result: result,
            answer: AttemptAnswer(status: isDelivered ? 200 : 500, failure: isDelivered ? nil : .status),
            // Whatever the clock of the day said.
            at: .random(in: 0...2_000_000_000_000)
        )
        outcome.failing = failing
        return outcome
    }

    private func withStore(
        _ body: (LogDeliveryStore, SQLiteEventLog, [Int64], Recorder<FailedEndpoint>) async throws -> Void
    ) async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let topic = try Topic("a")
        _ = try await log.saveObserver(
            ObserverRecord(id: ObserverID(rawValue: "w"), topics: [try TopicPattern("a")], createdAt: .now()),
            expecting: nil,
            resettingFailures: false
        )
        _ = try await log.append((0..<4).map { _ in EventDraft(topic: topic, data: []) })
        let due = try await log.dueDeliveries(
            of: ObserverID(rawValue: "w"),
            at: log.now,
            inOrder: true,
            limit: 9,
            byteLimit: .max
        )
        let ids = due.deliveries.map(\.event.position.rawValue)
        let failed = Recorder<FailedEndpoint>()
        try await body(
            LogDeliveryStore(
                log: log,
                failureLimit: .milliseconds(5 * Self.day),
                metrics: HubMetrics(backend: NOOPMetricsHandler.instance),
                faults: FaultLog(Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            ) { failed.add($0) },
            log,
            ids,
            failed
        )
        await log.close()
    }

    @Test func `an endpoint that fails for five days without a success is told of, and not before`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], failing: 1_000, .retry(notBefore: 0))])
            try await store.record([outcome(ids[1], failing: 5 * Self.day - 1_001, .dead)])
            #expect(failed.all.isEmpty)
            let later = [(ids[0], 2), (ids[2], 1)]
            try await store.record(later.map { outcome($0, attempts: $1, failing: 1, .retry(notBefore: 0)) })
            #expect(failed.all.map(\.id.rawValue) == ["w"] && failed.all.map(\.reason) == [.failing])
        }
    }

    @Test func `one success starts the days anew`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], failing: 3 * Self.day, .retry(notBefore: 0))])
            try await store.record([outcome(ids[1], failing: 0, .delivered)])
            try await store.record([outcome(ids[0], attempts: 2, failing: 2 * Self.day, .retry(notBefore: 0))])
            try await store.record([outcome(ids[2], failing: 2 * Self.day, .retry(notBefore: 0))])
            #expect(failed.all.isEmpty)
            try await store.record([outcome(ids[2], attempts: 2, failing: Self.day, .retry(notBefore: 0))])
            #expect(failed.all.map(\.reason) == [.failing])
        }
    }

    @Test func `one that is gone is told of at once, and once for all that it answered`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], failing: 0, .retry(notBefore: 0))])
            let late = outcome(ids[1], failing: 6 * Self.day, .retry(notBefore: 0))
            try await store.record([late, outcome(ids[2], failing: 0, .gone), outcome(ids[3], failing: 0, .gone)])
            #expect(failed.all.map(\.reason) == [.gone])
        }
    }
}

extension LogDeliveryStore {
    fileprivate func record(_ outcomes: [AttemptOutcome]) async throws {
        try await withCheckedThrowingContinuation { continuation in
            record(outcomes) { continuation.resume(with: $0) }
        }
    }
}
