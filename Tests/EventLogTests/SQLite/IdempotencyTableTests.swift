import GRDB
import Testing

@testable import EventLog

@Suite struct IdempotencyTableTests {
    private let clock = ManualClock()

    private func log() throws -> SQLiteEventLog {
        try SQLiteEventLog(at: .inMemory, durability: .memory, manual: clock)
    }

    private func draft(_ topic: String, _ key: String?, _ text: String) -> EventDraft {
        var draft = EventDraft.of(topic, text)
        draft.idempotencyKey = key.map { IdempotencyKey($0, fingerprint: Array(text.utf8)) }
        return draft
    }

    @Test func `keys that are too old are forgotten in the table too, and no others`() async throws {
        let log = try log()
        for round in 0..<10 {
            try await log.append((0..<100).map { draft("a", "\(round).\($0)", "") })
        }
        clock.now = clock.now.advanced(byMilliseconds: IdempotencyKey.lifetime - 1)
        try await log.append([draft("a", "new", "")])
        clock.now = clock.now.advanced(byMilliseconds: 60_001)
        func keys() async throws -> Int {
            try await log.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM idempotency") ?? 0 }
        }
        let deadline = ContinuousClock.now + .seconds(20)
        while try await keys() > 1, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try await keys() == 1)
        #expect(try await log.append([draft("a", "new", "")], if: nil).isReplay)
    }

    @Test func `no key is forgotten in the table before its time`() async throws {
        let log = try log()
        let keyed = draft("a", "k", "")
        try await log.append([keyed])
        for (milliseconds, isReplay) in [(IdempotencyKey.lifetime - 1, true), (1, false)] {
            clock.now = clock.now.advanced(byMilliseconds: milliseconds)
            try await log.change { [clock] tables in try tables.forgetKeys(100, at: clock.now) }
            #expect(try await log.append([keyed], if: nil).isReplay == isReplay)
        }
    }

    @Test func `a post that is refused leaves no topic behind`() async throws {
        let log = try log()
        for number in 0..<5 {
            _ = try? await log.append([draft("t\(number)", "k", "")], if: .hasEvent)
            _ = try? await log.append([draft("t\(number)", "k", "a"), draft("t\(number)", "k", "b")], if: nil)
        }
        #expect(try await log.read { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM topic") } == 0)
    }
}
