import Testing

@testable import EventLog

/// A log as the copy of a sequence that is kept elsewhere.
@Suite struct CopyTests {
    private let clock = ManualClock()
    private let folder: TemporaryDirectory
    private let log: SQLiteEventLog

    init() throws {
        folder = try TemporaryDirectory()
        log = try SQLiteEventLog(
            copyOf: .random(),
            in: folder.path,
            limits: SQLiteEventLog.Limits(),
            clock: { [clock] in clock.now },
            elapsed: { [clock] in clock.elapsed }
        )
    }

    private func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition? = nil,
        after position: Int64,
        _ decision: Placement.Decision = .open
    ) async throws -> AppendReceipt {
        let placement = Placement(after: Position(position), time: clock.now, decision: decision)
        return try await withCheckedContinuation { continuation in
            log.append(drafts, if: condition, at: placement) { continuation.resume(returning: $0) }
        }.get()
    }

    private func keyed(_ topic: String, _ key: String) -> EventDraft {
        var draft = EventDraft.of(topic, key)
        draft.idempotencyKey = IdempotencyKey(key, fingerprint: [])
        return draft
    }

    private func pass(milliseconds: Int64) { clock.now = clock.now.advanced(byMilliseconds: milliseconds) }

    @Test func `what was decided before is written without a question`() async throws {
        let first = try await append([keyed("a", "k")], after: 10)
        await #expect(throws: EventLogError.self) { try await append([.of("a", "x")], if: .hasNone, after: 20) }
        let all = try await append([.of("a", "x")], if: .hasNone, after: 30, .written(places: nil))
        #expect(all.events.map(\.id.position) == [Position(31)])
        let drafts = [keyed("a", "k"), keyed("a", "l"), keyed("a", "m"), keyed("a", "k")]
        // The first was written by others when they found no use of its key; of the last they found one.
        let some = try await append(drafts, after: 40, .written(places: [0, 2, 9]))
        #expect(some.events.map { String(decoding: $0.data, as: UTF8.self) } == ["k", "m"])
        #expect(try await append([keyed("a", "k")], after: 50).events[0].id == some.events[0].id)
        #expect(first.events[0].id != some.events[0].id)
        #expect(try await append([keyed("a", "l")], after: 60).isReplay == false, "it was not written")
    }

    @Test func `no condition is met by an event that is too old, whether it was removed or not`() async throws {
        _ = try await log.setRetention(Retention(age: 1_000), of: Topic("a"))
        _ = try await append([.of("a", "x")], after: 10)
        pass(milliseconds: 1_000)
        await #expect(throws: EventLogError.self) { try await append([.of("a", "y")], if: .hasNone, after: 20) }
        pass(milliseconds: 1)
        _ = try await append([.of("a", "y")], if: .hasNone, after: 30)
    }

    @Test func `time passes with the sequence alone`() async throws {
        _ = try await log.setRetention(Retention(age: 1_000), of: Topic("a"))
        _ = try await append([.of("a", "x")], after: 10)
        pass(milliseconds: 100_000)
        try await log.advance(to: clock.now.advanced(byMilliseconds: -99_000))
        try await log.settle()
        #expect(log.removed?.take().isEmpty == true)
        try await log.advance(to: clock.now)
        let removed = try await removals(1)
        #expect(removed.map(\.position) == [Position(11)])
    }

    @Test func `tells what is removed, and of keys that live, when they are forgotten`() async throws {
        _ = try await log.setRetention(Retention(events: 1), of: Topic("a"))
        _ = try await append([.of("a", "x")], after: 10)
        _ = try await append([keyed("a", "k")], after: 20 | Placement.keyed)
        _ = try await append([.of("a", "y")], after: 1 << 20)
        let removed = try await removals(2)
        #expect(removed.map(\.position) == [Position(11), Position(21 | Placement.keyed)])
        #expect(removed.map(\.isKept) == [false, true])
        #expect(try removed.map(\.topic) == [Topic("a"), Topic("a")])
        pass(milliseconds: IdempotencyKey.lifetime + 60_001)
        try await log.advance(to: clock.now)
        let forgotten = try await removals(1)
        #expect(forgotten.map(\.position) == [Position(21 | Placement.keyed)])
        #expect(forgotten.map(\.topic) == [nil] && forgotten.map(\.isKept) == [false])
    }

    private func removals(_ count: Int) async throws -> [RemovedEvents.Removed] {
        let deadline = ContinuousClock.now + .seconds(20)
        var found: [RemovedEvents.Removed] = []
        while found.count < count, ContinuousClock.now < deadline {
            found += log.removed?.take() ?? []
            try await Task.sleep(for: .milliseconds(5))
        }
        return found
    }
}
