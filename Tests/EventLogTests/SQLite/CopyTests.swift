import Locking
import Testing

@testable import EventLog

/// A log as the copy of a sequence that is kept elsewhere.
@Suite struct CopyTests {
    private let clock = ManualClock()
    private let folder: TemporaryDirectory
    private let log: SQLiteEventLog

    init() throws {
        folder = try TemporaryDirectory()
        log = try Self.copy(in: folder.path, clock)
    }

    private static func copy(
        in folder: String,
        _ clock: ManualClock,
        _ limits: SQLiteEventLog.Limits = SQLiteEventLog.Limits()
    ) throws -> SQLiteEventLog {
        try SQLiteEventLog(
            at: .directory(folder),
            durability: .process,
            limits: limits,
            as: .random(),
            clock: { clock.now },
            elapsed: { clock.elapsed }
        )
    }

    private func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition? = nil,
        after position: Int64,
        _ decision: Placement.Decision = .open,
        to log: SQLiteEventLog? = nil
    ) async throws -> AppendReceipt {
        let log = log ?? self.log
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

    @Test func `what must be whole is not written where some of it was posted before`() async throws {
        let whole = Placement.Decision.whole(beside: [])
        _ = try await append([keyed("a", "k")], after: 10, whole)
        let drafts = [keyed("a", "j"), keyed("a", "k")]
        let none = try await append(drafts, after: 20, whole)
        #expect(none.isReplay && none.events.isEmpty)
        #expect(try await append(drafts, after: 30).events.map(\.id.position) == [Position(31), Position(11)])
        let all = try await append(drafts, after: 40, whole)
        #expect(all.isReplay && all.events.map(\.id.position) == [Position(31), Position(11)])
    }

    @Test func `what must be whole is not written where the rest of it is not there any more`() async throws {
        let known = try await append([keyed("a", "k")], after: 10, .whole(beside: []))
        let used = UsedKey("k", of: known.events[0].topic, for: Position(11))
        #expect(try await append([.of("a", "x")], after: 20, .whole(beside: [used])).events.count == 1)
        let others = [UsedKey("k", of: used.topic, for: Position(12)), UsedKey("k", of: .of("b"), for: used.event)]
        for other in others {
            let none = try await append([.of("a", "x")], after: 30, .whole(beside: [used, other]))
            #expect(none.isReplay && none.events.isEmpty)
        }
        _ = try await log.deleteTopic(used.topic)
        #expect(try await append([.of("a", "x")], after: 40, .whole(beside: [used])).events.isEmpty)
        #expect(try await append([.of("a", "x")], after: 50, .whole(beside: [])).events.count == 1)
    }

    @Test func `a deletion up to a place leaves what came after it, and its keys`() async throws {
        _ = try await append([keyed("a", "k"), .of("a", "xy")], after: 10)
        _ = try await append([keyed("a", "l"), .of("a", "xyz")], after: 20)
        _ = try await log.setRetention(Retention(events: 9), of: .of("a"))
        #expect(try await log.deleteTopic(.of("a"), through: Position(19)))
        var page = try await log.read(after: .start, matching: [.of("a")], limit: 9, byteLimit: 1_000)
        #expect(page.events.map(\.id.position) == [Position(21), Position(22)] && page.hasGap)
        let summary = try #require(try await log.summary(of: .of("a")))
        #expect(summary.events == 2 && summary.retention == nil)
        #expect(try await append([keyed("a", "l")], after: 30).isReplay)
        #expect(try await append([keyed("a", "k")], after: 40).events.map(\.id.position) == [Position(41)])
        // Nothing is left of what it is about.
        #expect(try await !log.deleteTopic(.of("a"), through: Position(19)))
        #expect(try await !log.read(after: Position(12), matching: [.of("a")], limit: 9, byteLimit: 1_000).hasGap)
        #expect(try await log.deleteTopic(.of("a"), through: Position(50)))
        page = try await log.read(after: .start, matching: [.of("a")], limit: 9, byteLimit: 1_000)
        let isGone = try await log.summary(of: .of("a")) == nil
        #expect(page.events.isEmpty && isGone)
    }

    @Test func `a deletion forgets the keys of what a copy has removed already`() async throws {
        // By its own bounds: others may have it still.
        _ = try await append([keyed("a", "k")], after: 10)
        try await log.noteRemoval(of: .of("a"), through: Position(15))
        #expect(try await append([keyed("a", "k")], after: 20).isReplay)
        #expect(try await !log.deleteTopic(.of("a"), through: Position(29)))
        #expect(try await append([keyed("a", "k")], after: 30).events.map(\.id.position) == [Position(31)])
    }

    @Test func `a deletion keeps the keys of what came after it, and was removed already`() async throws {
        _ = try await append([keyed("a", "k")], after: 10)
        _ = try await append([keyed("a", "l")], after: 20)
        _ = try await log.setRetention(Retention(events: 9), of: .of("a"))
        try await log.noteRemoval(of: .of("a"), through: Position(25))
        #expect(try await log.deleteTopic(.of("a"), through: Position(15)))
        #expect(try await append([keyed("a", "l")], after: 30).isReplay)
        #expect(try await append([keyed("a", "k")], after: 40).events.map(\.id.position) == [Position(41)])
    }

    @Test func `observers that were saved after a place are left`() async throws {
        for (revision, id) in [(5, "old"), (9, "new")] {
            let record = ObserverRecord(
                id: ObserverID(rawValue: id),
                topics: [try TopicPattern("a")],
                document: [],
                createdAt: clock.now
            )
            _ = try await log.saveObserver(record, expecting: nil, resettingFailures: false, as: Int64(revision))
        }
        #expect(try await log.deleteObservers(of: TopicPattern("a"), through: 8).map(\.rawValue) == ["old"])
        #expect(try await log.deleteObservers(of: TopicPattern("a"), through: nil).map(\.rawValue) == ["new"])
    }

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

    @Test func `where it is not noted which topics lost events, all have that have no older ones`() async throws {
        _ = try await append([.of("old")], after: 10)
        _ = try await append([.of("new")], after: 30)
        func hasGap(_ topics: [String], after position: Int64) async throws -> Bool {
            let patterns = topics.map { TopicPattern.of($0) }
            return try await log.read(after: Position(position), matching: patterns, limit: 9, byteLimit: .max).hasGap
        }
        #expect(try await !hasGap(["none", "new", "old"], after: 20))
        try await log.noteRemovals(through: Position(25))
        try await log.noteRemovals(through: Position(24))
        let topics = [["none"], ["new"], ["old"], ["old", "new"], ["**"]]
        for (topics, isGap) in zip(topics, [true, true, false, true, true]) {
            #expect(try await hasGap(topics, after: 20) == isGap, "\(topics)")
            #expect(try await !hasGap(topics, after: 25), "\(topics)")
        }
        _ = try await append([.of("later")], after: 40)
        #expect(try await hasGap(["later"], after: 20))
        #expect(try await !hasGap(["later"], after: 30))
    }

    @Test func `what stays in the sequence though it was removed does not hide what was lost`() async throws {
        func hasGap(_ topic: String, after position: Int64) async throws -> Bool {
            let patterns = [TopicPattern.of(topic)]
            return try await log.read(after: Position(position), matching: patterns, limit: 9, byteLimit: .max).hasGap
        }
        _ = try await append([.of("both")], after: 5)
        _ = try await append([keyed("keyed", "k")], after: 10 | Placement.keyed)
        _ = try await append([.of("one"), .of("other")], after: 1 << 20)
        _ = try await append([keyed("both", "k")], after: 1 << 20 | Placement.keyed)
        _ = try await append([.of("alone")], after: 2 << 20)
        let last: Int64 = 4 << 20
        for topic in ["keyed", "one", "other", "both", "alone"] { #expect(try await !hasGap(topic, after: last - 9)) }
        try await log.noteRemovals(through: Position(last))
        for topic in ["keyed", "one", "other", "both"] { #expect(try await hasGap(topic, after: last - 9), "\(topic)") }
        #expect(try await !hasGap("alone", after: last - 9))
        #expect(try await !hasGap("both", after: 9))
    }

    @Test func `what others have removed goes, and its keys stay`() async throws {
        let record = ObserverRecord(id: "w", topics: [.of("a")], createdAt: clock.now)
        _ = try await log.saveObserver(record, expecting: nil, resettingFailures: false, as: 1)
        let before = try await append([.of("b", "x")], after: 10).events[0].position
        let first = try await append([keyed("a", "k")], after: 20 | Placement.keyed).events[0]
        let second = try await append([.of("a", "left")], after: 1 << 20).events[0]
        let third = try await append([.of("a", "kept")], after: 2 << 20).events[0]
        #expect(try await log.redeliver([first.position], to: "w", createdAt: nil, at: clock.now) == 1)
        #expect(try await log.deliveryStats(of: "w").pending == 3)
        func page(after position: Position) async throws -> EventPage {
            try await log.read(after: position, matching: [.of("a")], limit: 9, byteLimit: .max)
        }
        #expect(try await !page(after: before).hasGap)
        try await log.noteRemoval(of: Topic("a"), through: second.position)
        try await log.noteRemoval(of: Topic("a"), through: first.position)
        for position in [before, first.position] {
            let page = try await page(after: position)
            #expect(page.hasGap && page.events.map(\.id) == [third.id])
        }
        #expect(try await !page(after: second.position).hasGap)
        let summary = try #require(try await log.summary(of: Topic("a")))
        #expect(summary.events == 1 && summary.bytes == third.data.count)
        #expect(log.usage.topics == 2)
        let removed = try await removals(2)
        #expect(removed.map(\.position) == [first.position, second.position])
        #expect(removed.map(\.isKept) == [true, false])
        #expect(try await log.deliveryStats(of: "w").pending == 1, "what is left")
        let again = try await append([keyed("a", "k")], after: 3 << 20)
        #expect(again.isReplay && again.events.map(\.id) == [first.id])
        try await log.noteRemoval(of: Topic("a"), through: third.position)
        #expect(log.usage.topics == 1 && log.usage.idempotencyKeys == 1)
        #expect(try await log.summary(of: Topic("a")) == nil)
        #expect(try await append([keyed("a", "k")], after: 4 << 20).isReplay)
    }

    @Test func `after what it had no room for nothing is written`() async throws {
        var limits = SQLiteEventLog.Limits()
        limits.storageBytes = 1 << 20
        let log = try Self.copy(in: folder.path + "/small", clock, limits)
        let heard = Lock<[Position]>([])
        log.follow { commit in heard.withLock { $0 += commit.events.map(\.position) } }
        _ = try await append([.of("a", "1")], after: 10, to: log)
        let large = EventDraft(topic: try Topic("a"), data: Array(repeating: 0, count: 4 << 20))
        for (draft, position) in [(large, 20), (EventDraft.of("a", "2"), 30)] as [(EventDraft, Int64)] {
            let error = await #expect(throws: EventLogError.self) {
                try await append([draft], after: position, to: log)
            }
            #expect(error?.code == .storageFull)
        }
        #expect(heard.withLock { $0 } == [Position(11)], "nobody hears of what comes after a gap")
        await log.close()
    }

    @Test func `a delivery whose event is gone elsewhere waits no longer, and was not attempted`() async throws {
        let record = ObserverRecord(id: "w", topics: [.of("a")], createdAt: clock.now)
        _ = try await log.saveObserver(record, expecting: nil, resettingFailures: false, as: 1)
        let event = try await append([.of("a", "x")], after: 10).events[0].position
        #expect(try await log.redeliver([event], to: "w", createdAt: nil, at: clock.now) == 1)
        for _ in 0..<2 { try await log.recordOutcomes([.gone(event, for: "w", at: clock.now)]) }
        let stats = try await log.deliveryStats(of: "w")
        #expect(stats.pending == 0 && stats.deadLetters == 1 && stats.failed == 0 && stats.failingSince == nil)
        let found = try #require(try await log.delivery(of: event, to: "w"))
        #expect(found.attempts.isEmpty && found.summary.attempts == 0)
        #expect(found.summary.failure == "event-gone" && found.summary.status == nil)
        #expect(try await log.missing([event, Position(12)]) == [Position(12)])
    }

    @Test func `what its limits would refuse it takes, and says so to who asks before`() async throws {
        var limits = SQLiteEventLog.Limits()
        (limits.topics, limits.idempotencyKeys, limits.observers) = (1, 1, 0)
        let log = try Self.copy(in: folder.path + "/bounded", clock, limits)
        let (known, other) = (keyed("a", "k"), keyed("b", "l"))
        let first = try await append([known], after: 10, to: log)
        #expect(!log.takesAll([other]))
        await #expect(throws: EventLogError.self) { try await log.admit([other]) }
        await #expect(throws: EventLogError.self) { try await log.admit(Topic("b")) }
        #expect(try await log.admit([known, .of("a", "x")]).mapValues(\.id) == [0: first.events[0].id])
        #expect(try await append([other, .of("c", "x")], after: 20, to: log).events.count == 2)
        _ = try await log.setRetention(Retention(events: 1), of: Topic("d"))
        #expect(log.usage.topics == 4 && log.usage.idempotencyKeys == 2)
        await log.close()
    }

    @Test func `no condition is met by an event that is too old, whether it was removed or not`() async throws {
        _ = try await log.setRetention(Retention(age: 1_000), of: Topic("a"))
        _ = try await append([.of("a", "x")], after: 10)
        pass(milliseconds: 1_000)
        await #expect(throws: EventLogError.self) { try await append([.of("a", "y")], if: .hasNone, after: 20) }
        pass(milliseconds: 1)
        _ = try await append([.of("a", "y")], if: .hasNone, after: 30)
    }

    @Test func `a key is too old where the sequence is, whatever the servers' clocks say`() async throws {
        _ = try await append([keyed("a", "k")], after: 10)
        pass(milliseconds: IdempotencyKey.lifetime)
        _ = try await append([.of("a", "x")], after: 20)
        // Another server leads. Some copies have forgotten the key by now.
        pass(milliseconds: -1_000)
        #expect(try await append([keyed("a", "k")], after: 30).isReplay == false)
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
