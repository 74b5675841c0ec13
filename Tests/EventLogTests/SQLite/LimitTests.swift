import GRDB
import Testing

@testable import EventLog

/// What the log holds is bounded, exactly.
@Suite struct LimitTests {
    private let clock = ManualClock()
    private static let own = Topic.of("clarion.observers")

    private func open(
        _ directory: TemporaryDirectory? = nil,
        topics: Int = 1_000,
        observers: Int = 1_000,
        keys: Int = 1_000,
        retention: Retention = Retention()
    ) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        (limits.topics, limits.observers, limits.idempotencyKeys) = (topics, observers, keys)
        limits.uncountedTopics = [Self.own]
        limits.retention = retention
        // So that the most of them are looked up.
        limits.cachedTopics = 4
        return try SQLiteEventLog(
            at: directory.map { .directory($0.path) } ?? .inMemory,
            durability: directory == nil ? .memory : .process,
            limits: limits,
            manual: clock
        )
    }

    private func keyed(_ topic: String, _ key: String, _ text: String = "") -> EventDraft {
        var draft = EventDraft.of(topic, text)
        draft.idempotencyKey = IdempotencyKey(key, fingerprint: Array(text.utf8))
        return draft
    }

    private func observer(_ id: ObserverID) -> ObserverRecord {
        ObserverRecord(id: id, topics: [.of("none")], createdAt: .now())
    }

    /// The code with which something is refused; nil if it is not.
    private func refusal<Value>(of work: () async throws -> Value) async -> EventLogError.Code? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? EventLogError)?.code ?? .failed
        }
    }

    @Test func `of many posts at once that would make topics exactly so many are taken as there is room for`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let log = try open(directory, topics: 20)
        let codes = await withTaskGroup(of: EventLogError.Code?.self) { group in
            for number in 0..<200 {
                group.addTask { await refusal { try await log.append([.of("t\(number % 100)")]) } }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(codes.count { $0 == nil } == 40, "two posts on each of twenty topics")
        #expect(Set(codes) == [nil, .limitReached])
        #expect(log.usage.topics == 20)
        #expect(try await log.usageFault() == nil)
        // Also after it was opened again.
        await log.close()
        let again = try open(directory, topics: 20)
        #expect(again.usage.topics == 20)
        #expect(await refusal { try await again.append([.of("another")]) } == .limitReached)
        let topic = try await again.topics(prefix: "", after: nil, limit: 1)[0].topic
        #expect(await refusal { try await again.append([EventDraft(topic: topic, data: [])]) } == nil)
        #expect(try await again.deleteTopic(topic))
        #expect(await refusal { try await again.append([.of("another")]) } == nil)
        #expect(
            await refusal { try await again.append([EventDraft(topic: topic, data: [])]) } == .limitReached
        )
        await again.close()
    }

    @Test func `a limit that was lowered keeps what there is`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        for number in 0..<10 {
            try await log.append([keyed("t\(number)", "k")])
            _ = try await log.saveObserver(observer("w\(number)"), expecting: nil)
        }
        await log.close()
        let again = try open(directory, topics: 3, observers: 3, keys: 3)
        #expect([again.usage.topics, again.usage.idempotencyKeys] == [10, 10])
        #expect(await refusal { try await again.append([.of("t9")]) } == nil)
        #expect(try await again.append([keyed("t9", "k")], if: nil).isReplay)
        #expect(await refusal { try await again.append([keyed("t9", "l")]) } == .limitReached)
        #expect(await refusal { try await again.append([.of("t10")]) } == .limitReached)
        _ = try await again.saveObserver(observer("w9"), expecting: nil)
        #expect(
            await refusal { try await again.saveObserver(observer("w10"), expecting: nil) }
                == .limitReached
        )
        #expect(try await again.usageFault() == nil)
        await again.close()
    }

    @Test func `a log that was closed in order is not counted again, and one that was not is`() async throws {
        let (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        func noted(_ directory: TemporaryDirectory) throws -> [Int?] {
            let queue = try DatabaseQueue(path: "\(directory.path)/clarion.db")
            defer { try? queue.close() }
            return try queue.read { db in
                try ["held_topics", "held_keys"].map { try Int.fetchOne(db, sql: "SELECT \($0) FROM log") }
            }
        }
        let log = try open(directory)
        try await log.append([keyed("a", "k"), .of("b"), EventDraft(topic: Self.own, data: [])])
        try await log.settle()
        try directory.copyLog(to: copy)
        await log.close()
        #expect(try noted(directory) == [3, 1])
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
        // What is noted counts: it is not what the tables say.
        try await DatabaseQueue(path: "\(directory.path)/clarion.db").write { db in
            try db.execute(sql: "UPDATE log SET held_topics = 7, held_keys = 8")
        }
        #expect(try SQLiteEventLog.check(directory: directory.path).findings.count == 2)
        let again = try open(directory)
        #expect([again.usage.topics, again.usage.idempotencyKeys] == [6, 8])
        // The first change takes the note away: a crash from then on has the log counted.
        try await again.append([.of("c")])
        try await again.settle()
        let later = try TemporaryDirectory()
        try directory.copyLog(to: later)
        await again.close()
        #expect(try noted(later) == [nil, nil])
        #expect(try noted(copy) == [nil, nil])
        let crashed = try open(copy)
        #expect([crashed.usage.topics, crashed.usage.idempotencyKeys] == [2, 1])
        #expect(try await crashed.usageFault() == nil)
        await crashed.close()
    }

    @Test func `observers are bounded in bytes, also by what they wanted before`() async throws {
        let directory = try TemporaryDirectory()
        func record(_ id: String, _ bytes: Int, topics: [String] = ["a"], receives: Bool = true) throws
            -> ObserverRecord
        {
            ObserverRecord(
                id: ObserverID(rawValue: id),
                topics: try topics.map { try TopicPattern($0) },
                receives: receives,
                document: Array(repeating: 0, count: bytes),
                createdAt: .latest
            )
        }
        func save(_ log: SQLiteEventLog, _ record: ObserverRecord) async throws -> EventLogError.Code? {
            await refusal { _ = try await log.saveObserver(record, expecting: nil, resettingFailures: false) }
        }
        var limits = SQLiteEventLog.Limits()
        limits.observers = 1_000
        let limit = limits.observerBytes
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process, limits: limits)
        #expect(try await save(log, record("one", limit / 2)) == nil)
        #expect(try await save(log, record("two", limit / 2)) == .limitReached)
        #expect(try await save(log, record("two", limit / 2 - 10)) == nil)
        #expect(try await save(log, record("three", 4_000)) == .limitReached)
        // An ordinary one has its share, whatever others take, and may grow within it.
        #expect(try await save(log, record("three", 9)) == nil)
        #expect(try await save(log, record("three", 2_047)) == nil)
        #expect(try await save(log, record("three", 2_048)) == .limitReached)
        #expect(try await save(log, record("three", 9)) == nil)
        #expect(try await save(log, record("one", limit / 2, topics: ["b", "c", "d"], receives: false)) == nil)
        await log.close()
        let again = try SQLiteEventLog(at: .directory(directory.path), durability: .process, limits: limits)
        #expect(try await save(again, record("four", 4_000)) == .limitReached)
        #expect(try await save(again, record("two", limit / 2 - 5_000)) == nil)
        #expect(try await save(again, record("four", 4_000)) == nil)
        #expect(try await again.deleteObserver("one", expecting: nil))
        #expect(try await save(again, record("five", limit / 2)) == nil)
        #expect(try await save(again, record("six", 4_000)) == .limitReached)
        await again.close()
    }

    @Test func `of several events all are stored or none`() async throws {
        let log = try open(topics: 3)
        try await log.append([.of("a")])
        let drafts = ["a", "b", "c", "d", "a"].map { EventDraft.of($0) }
        do {
            try await log.append(drafts)
            Issue.record("four topics where there may be three")
        } catch {
            #expect(error.code == .limitReached)
            #expect(error.place == 3)
        }
        #expect(log.tail.rawValue == 1)
        #expect(log.usage.topics == 1)
        // A topic that comes twice is one.
        try await log.append(["b", "b", "a", "c", "c"].map { EventDraft.of($0) })
        #expect(try await log.usageFault() == nil)
    }

    @Test func `beside what is new a replay takes no room`() async throws {
        let log = try open(topics: 2, keys: 2)
        let first = try await log.append([keyed("a", "1")])
        let tooMany = [keyed("a", "1"), keyed("b", "2"), keyed("b", "3")]
        #expect(await refusal { try await log.append(tooMany) } == .limitReached)
        let both = try await log.append([keyed("a", "1"), keyed("b", "2")])
        #expect(both.prefix(1) == first[...] && both.count == 2)
        #expect([log.usage.topics, log.usage.idempotencyKeys] == [2, 2])
    }

    @Test func `topics go with their deletion, their last event and their bounds`() async throws {
        let log = try open(topics: 2, retention: Retention(age: 1_000))
        try await log.append([.of("old")])
        try await log.setRetention(Retention(age: 1_000_000), of: .of("bound"))
        #expect(
            await refusal { try await log.setRetention(Retention(events: 1), of: .of("c")) }
                == .limitReached
        )
        #expect(
            await refusal { try await log.setRetention(nil, of: .of("c")) } == nil,
            "takes nothing away, and makes nothing"
        )
        try await log.append([.of("bound")])
        clock.now = clock.now.advanced(byMilliseconds: 10_000)
        try await log.settle()
        #expect(log.usage.topics == 1)
        try await log.append([.of("old")])
        #expect(await refusal { try await log.append([.of("c")]) } == .limitReached)
        // It has an event still: one that is not too old for the bounds of all, and so stays whenever maintenance comes.
        try await log.append([.of("bound")])
        try await log.setRetention(nil, of: .of("bound"))
        #expect(log.usage.topics == 2)
        try await log.setRetention(Retention(), of: .of("bound"))
        clock.now = clock.now.advanced(byMilliseconds: 10_000)
        #expect(try await log.usageFault() == nil)
        #expect(log.usage.topics == 0)
        try await log.setRetention(Retention(events: 1), of: .of("c"))
        #expect(log.usage.topics == 1)
        try await log.setRetention(Retention(), of: .of("c"))
        #expect(log.usage.topics == 0)
        #expect(try await !log.deleteTopic(.of("c")))
        #expect(log.usage.topics == 0)
    }

    @Test func `topics of whoever opened the log are neither counted nor refused`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory, topics: 1)
        try await log.append([.of("a")])
        for _ in 0..<3 { try await log.append([EventDraft(topic: Self.own, data: [])]) }
        #expect(log.usage.topics == 1)
        await log.close()
        let again = try open(directory, topics: 1)
        #expect(again.usage.topics == 1)
        #expect(try await again.deleteTopic(Self.own))
        try await again.append([EventDraft(topic: Self.own, data: [])])
        #expect(try await again.usageFault() == nil)
        await again.close()
    }

    @Test func `observers are replaced where no more may be registered`() async throws {
        let log = try open(observers: 2)
        _ = try await log.saveObserver(observer("a"), expecting: nil)
        let saved = try await log.saveObserver(observer("b"), expecting: nil)
        #expect(
            await refusal { try await log.saveObserver(observer("c"), expecting: nil) } == .limitReached
        )
        _ = try await log.saveObserver(observer("b"), expecting: saved.record.revision)
        #expect(try await log.deleteObserver("a", expecting: nil))
        _ = try await log.saveObserver(observer("c"), expecting: nil)
        #expect(try await log.usageFault() == nil)
    }

    @Test func `keys go with their time, and one that is used again is one`() async throws {
        let log = try open(keys: 3)
        try await log.append([keyed("a", "1"), keyed("a", "2"), keyed("b", "1")])
        #expect(await refusal { try await log.append([keyed("b", "2")]) } == .limitReached)
        #expect(await refusal { try await log.append([.of("b")]) } == nil)
        #expect(try await log.append([keyed("a", "1")], if: nil).isReplay)
        #expect(log.usage.idempotencyKeys == 3)
        // Its keys go with it, a moment later.
        #expect(try await log.deleteTopic(.of("a")))
        try await log.settle()
        #expect(log.usage.idempotencyKeys == 1)
        clock.now = clock.now.advanced(byMilliseconds: IdempotencyKey.lifetime + 60_001)
        try await log.append([.of("b")])
        #expect(try await log.usageFault() == nil)
        #expect(log.usage.idempotencyKeys == 0)
        let roomy = try open(keys: 100)
        for _ in 0..<3 {
            try await roomy.append([keyed("a", "1")])
            #expect(try await roomy.deleteTopic(.of("a")))
        }
        #expect(roomy.usage.idempotencyKeys == 1)
        #expect(try await roomy.usageFault() == nil)
    }

    @Test(arguments: 0..<4) func `counts are right whatever fails`(seed: Int) async throws {
        var random = SplitMix(seed: UInt64(seed))
        let log = try open(topics: 8, observers: 3, keys: 20, retention: Retention(age: 5_000))
        let rows = try await FailingRows(log)
        var met: Set<EventLogError.Code?> = []
        for step in 0..<300 {
            let reach = FailingRows.Reach.allCases.randomElement(using: &random) ?? .statement
            let topic = "t\(Int.random(in: 0..<12, using: &random))"
            if Bool.random(using: &random) { rows.arm(.random(in: 1...12, using: &random), reach) }
            let id: ObserverID = "w\(Int.random(in: 0..<5, using: &random))"
            switch Int.random(in: 0..<8, using: &random) {
            case 0, 1:
                let key = "\(Int.random(in: 0..<4, using: &random))"
                met.insert(await refusal { try await log.append([keyed(topic, key), .of("t0")]) })
            case 2, 3: met.insert(await refusal { try await log.append([.of(topic), .of("\(topic).x")]) })
            case 4: met.insert(await refusal { try await log.deleteTopic(.of(topic)) })
            case 5:
                let bounds = Bool.random(using: &random) ? Retention(events: 3) : nil
                met.insert(await refusal { try await log.setRetention(bounds, of: .of(topic)) })
            case 6: met.insert(await refusal { try await log.saveObserver(observer(id), expecting: nil) })
            default: met.insert(await refusal { try await log.deleteObserver(id, expecting: nil) })
            }
            _ = rows.disarm()
            if step % 10 == 0 { clock.now = clock.now.advanced(byMilliseconds: 6_000) }
            if step % 10 == 9 { #expect(try await log.usageFault() == nil, "after step \(step)") }
        }
        #expect(met.contains(.limitReached))
    }

    @Test func `what an observer wants may change any number of times while it is behind, if it can be written down`()
        async throws
    {
        var limits = SQLiteEventLog.Limits()
        limits.interests = 2
        let log = try SQLiteEventLog(at: .inMemory, limits: limits)
        var wanted = 0
        func change(_ number: Int, receives: Bool = true) async throws {
            let record = ObserverRecord(
                id: "w",
                topics: [.of("t\(number % 2)")],
                receives: receives,
                createdAt: .now()
            )
            _ = try await log.saveObserver(record, expecting: nil)
        }
        func post(_ count: Int) async throws {
            try await log.append((0..<count).flatMap { _ in [EventDraft.of("t0"), .of("t1")] })
            wanted += count
        }
        for number in 0..<50 {
            try await change(number)
            try await post(3)
        }
        #expect(try await log.deliveryStats(of: "w").pending == wanted)
        func interests() async throws -> Int {
            try await log.change { try Int.fetchOne($0.db, sql: "SELECT count(*) FROM interest") ?? 0 }
        }
        #expect(try await interests() == 2)

        // More than is written down with one change.
        var (number, code) = (50, EventLogError.Code?.none)
        while code == nil, number < 70 {
            try await post(LogWriter.rowsAtOnce * 3)
            code = await refusal { try await change(number) }
            number += 1
        }
        #expect(code == .limitReached)
        #expect(try await interests() == 4)
        #expect(try await log.deliveryStats(of: "w").pending == wanted)
        try await change(number, receives: false)
        #expect(try await log.deliveryStats(of: "w").pending == wanted)
        #expect(try await log.pendingDeliveries(of: "w", limit: wanted + 1).count == wanted)
        await log.close()
    }
}
