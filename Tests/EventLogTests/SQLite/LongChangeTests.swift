import Dispatch
import GRDB
import Testing

@testable import EventLog

/// However many change many rows at once, a post waits for one of them.
@Suite struct LongChangeTests {
    @Test func `of many redeliveries one at a time is before a post`() async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let record = ObserverRecord(id: "w", topics: [.of("a")], createdAt: .now())
        _ = try await log.saveObserver(record, expecting: nil)
        let events = try await log.append((0..<32).map { _ in .of("a") }).map(\.position)
        let (isHeld, gate) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // Holds the writer, so that what follows becomes one group.
        async let held: Void = log.change { _ in
            isHeld.signal()
            gate.wait()
        }
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                isHeld.wait()
                continuation.resume()
            }
        }
        let begun = Record<Position>()
        async let total: Int = withThrowingTaskGroup(of: Int?.self) { group in
            for event in events {
                group.addTask {
                    begun.add(event)
                    return try await log.redeliver([event], to: "w", at: .now())
                }
            }
            var total = 0
            for try await count in group { total += count ?? 0 }
            return total
        }
        let deadline = ContinuousClock.now + .seconds(30)
        func waitForQueue(_ changes: Int) async {
            while log.sequencer.queuedBytes < changes * WriteRequest.rowOverhead, ContinuousClock.now < deadline {
                await Task.yield()
            }
        }
        while begun.all.count < events.count, ContinuousClock.now < deadline { await Task.yield() }
        await waitForQueue(1)
        async let before: Int = log.change { tables in
            try Int.fetchOne(tables.db, sql: "SELECT count(*) FROM delivery") ?? 0
        }
        await waitForQueue(2)
        gate.signal()
        let done = try await before
        #expect(done <= 1, "each of them was written before what came after it began")
        let count = try await total
        #expect(count == events.count)
        try await held
        await log.close()
    }
}
