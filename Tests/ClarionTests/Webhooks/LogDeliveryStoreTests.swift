import EventLog
import Testing
import Webhooks

@testable import Clarion

@Suite struct LogDeliveryStoreTests {
    private static let day: Int64 = 86_400_000

    private func outcome(
        _ delivery: Int64,
        at: Int64,
        _ result: AttemptOutcome.Result
    ) -> AttemptOutcome {
        let isDelivered = result == .delivered
        return AttemptOutcome(
            delivery: delivery,
            endpoint: "w",
            event: "e-\(delivery)",
            attempts: 1,
            result: result,
            status: isDelivered ? 200 : 500,
            failure: isDelivered ? nil : .status,
            duration: 1,
            at: at
        )
    }

    private func withStore(
        _ body: (LogDeliveryStore, SQLiteEventLog, [Int64], Recorder<FailedEndpoint>) async throws -> Void
    ) async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let topic = try Topic("a")
        _ = try await log.saveObserver(
            ObserverRecord(id: "w", topics: [try TopicPattern("a")], createdAt: .now()),
            expecting: nil
        )
        _ = try await log.append((0..<4).map { _ in EventDraft(topic: topic, data: []) })
        let ids = try await log.pendingDeliveries(of: "w", limit: 9).map(\.id)
        let failed = Recorder<FailedEndpoint>()
        try await body(LogDeliveryStore(log: log, patience: 5 * Self.day) { failed.add($0) }, log, ids, failed)
        await log.close()
    }

    @Test func `an endpoint that fails for five days without a success is told of, and not before`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], at: 1_000, .retry(notBefore: 0))])
            try await store.record([outcome(ids[1], at: 1_000 + 5 * Self.day - 1, .dead)])
            #expect(failed.all.isEmpty)
            let late = [ids[0], ids[2]].map { outcome($0, at: 1_000 + 5 * Self.day, .retry(notBefore: 0)) }
            try await store.record(late)
            #expect(failed.all.map(\.id) == ["w"] && failed.all.map(\.reason) == [.failing])
        }
    }

    @Test func `one success starts the days anew`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], at: 0, .retry(notBefore: 0))])
            try await store.record([outcome(ids[1], at: 4 * Self.day, .delivered)])
            try await store.record([outcome(ids[0], at: 6 * Self.day, .retry(notBefore: 0))])
            try await store.record([outcome(ids[2], at: 10 * Self.day, .retry(notBefore: 0))])
            #expect(failed.all.isEmpty)
            try await store.record([outcome(ids[2], at: 11 * Self.day, .retry(notBefore: 0))])
            #expect(failed.all.map(\.reason) == [.failing])
        }
    }

    @Test func `one that is gone is told of at once, and once for all that it answered`() async throws {
        try await withStore { store, _, ids, failed in
            try await store.record([outcome(ids[0], at: 0, .retry(notBefore: 0))])
            let late = outcome(ids[1], at: 6 * Self.day, .retry(notBefore: 0))
            try await store.record([late, outcome(ids[2], at: 6 * Self.day, .gone), outcome(ids[3], at: 0, .gone)])
            #expect(failed.all.map(\.reason) == [.gone])
        }
    }
}
