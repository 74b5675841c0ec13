import GRDB
import Testing

@testable import EventLog

@Suite struct MaintenanceTests {
    private let clock = ManualClock()

    private func log(
        _ retention: Retention = Retention(),
        at storage: SQLiteEventLog.Storage = .inMemory
    ) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        limits.retention = retention
        return try SQLiteEventLog(at: storage, durability: .process, limits: limits, manual: clock)
    }

    @Test func `what is too old goes without a post, the newest too`() async throws {
        let log = try log(Retention(age: 1_000))
        try await log.setRetention(Retention(age: 600_000), of: .of("long"))
        try await log.append([.of("a", "old"), .of("long", "old")])
        clock.now = clock.now.advanced(byMilliseconds: 900)
        try await log.append([.of("a", "new")])
        clock.now = clock.now.advanced(byMilliseconds: 5_101)
        let deadline = ContinuousClock.now + .seconds(20)
        while try await log.summary(of: .of("a")) != nil, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try await log.texts("**") == ["old"])
        #expect(try await log.lastEvent(of: .of("a")) == nil)
        #expect(try await log.append([.of("a")])[0].position.rawValue == 4)
    }

    @Test func `an event that is as old as it may be stays, and one that is a millisecond older goes`() async throws {
        let log = try log(Retention(age: 10_000))
        for text in ["older", "as old"] {
            try await log.append([.of("a", text)])
            clock.now = clock.now.advanced(byMilliseconds: 1)
        }
        clock.now = clock.now.advanced(byMilliseconds: 9_999)
        _ = try await log.eventuallyHas(1, "a")
        try await log.settle()
        #expect(try await log.texts("a") == ["as old"])
    }

    @Test(arguments: ["retain_age", "retain_events", "retain_bytes"])
    func `a bound that nobody can have set empties no topic`(column: String) async throws {
        let directory = try TemporaryDirectory()
        for isDamaged in [false, true] {
            let log = try log(at: .directory(directory.path))
            if isDamaged { clock.now = clock.now.advanced(byMilliseconds: 60_000) }
            try await log.append([.of("a", "x"), .of("a", "x"), .of("b", "x")])
            try await log.settle()
            #expect(try await log.texts("**").count == (isDamaged ? 6 : 3))
            await log.close()
            let file = try DatabaseQueue(path: directory.path + "/clarion.db")
            try await file.write { try $0.execute(sql: "UPDATE topic SET \(column) = 0") }
            try file.close()
        }
    }

    @Test(arguments: [1, 300]) func `events from when the clock was ahead go with what follows them`(
        count: Int
    ) async throws {
        let log = try log(Retention(age: 10_000))
        let year: Int64 = 365 * 86_400_000
        for _ in 1...2 {
            clock.step(byMilliseconds: year)
            try await log.append((0..<count).flatMap { _ in [EventDraft.of("kept", "ahead"), .of("a", "ahead")] })
            clock.step(byMilliseconds: -year)
            try await log.append([.of("a", "old"), .of("a", "old")])
        }
        clock.now = clock.now.advanced(byMilliseconds: 6_000)
        try await log.append([.of("kept", "young"), .of("a", "young")])
        clock.now = clock.now.advanced(byMilliseconds: 5_001)
        _ = try await log.eventuallyHas(1, "a")
        #expect(try await log.texts("a") == ["young"])
        try await log.settle()
        #expect(try await log.summary(of: .of("kept"))?.events == Int64(2 * count + 1), "what follows them is young")
        clock.now = clock.now.advanced(byMilliseconds: 10_000)
        let deadline = ContinuousClock.now + .seconds(20)
        while try await log.summary(of: .of("kept")) != nil, ContinuousClock.now < deadline { await Task.yield() }
        try await log.settle()
        #expect(try await log.texts("**") == [])
    }

    @Test func `among many that want other types who waits for an event is found`() async throws {
        let log = try log(Retention(events: 1))
        for (id, type) in [("w", "t"), ("x", "\u{E9}"), ("y", "never")] as [(ObserverID, String)] {
            _ = try await log.saveObserver(
                ObserverRecord(id: id, topics: [.of("**")], types: [type], createdAt: clock.now),
                expecting: nil
            )
        }
        // More types than are remembered at once, and one that is another by its bytes only.
        for number in 0..<40 { try await log.append([.of("a", "\(number)", type: "other \(number % 20)")]) }
        for type in ["e\u{301}", "\u{E9}", "t"] { try await log.append([.of("a", type, type: type)]) }
        for number in 0..<40 { try await log.append([.of("a", "\(number)", type: "other \(number % 20)")]) }
        _ = try await log.eventuallyHas(42, "a")
        try await log.settle()
        #expect(try await log.texts("a").prefix(3) == ["\u{E9}", "t", "0"])
    }

    @Test func `an event that a webhook waits for is kept, with what follows it`() async throws {
        let log = try log(Retention(events: 1))
        _ = try await log.saveObserver(
            ObserverRecord(id: "w", topics: [.of("a")], createdAt: clock.now),
            expecting: nil
        )
        for number in 1...5 { try await log.append([.of("a", "\(number)")]) }
        _ = try await log.append([.of("b"), .of("b")])
        _ = try await log.eventuallyHas(1, "b")
        #expect(try await log.texts("a") == ["1", "2", "3", "4", "5"])
        let due = try await log.due(of: "w", at: clock.now, limit: 10)
        #expect(due.count == 5)
        try await log.recordOutcomes(
            due.prefix(3).map {
                DeliveryOutcome(
                    of: $0,
                    state: .delivered,
                    attempt: DeliveryAttempt(number: 1, at: clock.now, status: 200)
                )
            }
        )
        clock.now = clock.now.advanced(byMilliseconds: RetentionSweep.pause + 1)
        _ = try await log.eventuallyHas(2, "a")
        #expect(try await log.texts("a") == ["4", "5"])
        #expect(try await log.deliveryStats(of: "w").pending == 2)
    }

    @Test func `an event whose delivery is to be tried again is kept until it is settled, with what follows it`()
        async throws
    {
        let log = try log(Retention(events: 1))
        let record = ObserverRecord(id: "w", topics: [.of("a")], createdAt: clock.now)
        _ = try await log.saveObserver(record, expecting: nil)
        for number in 1...4 { try await log.append([.of("a", "\(number)")]) }
        let due = try await log.due(of: "w", at: clock.now, limit: 10)
        let retry = clock.now.advanced(byMilliseconds: 60_000)
        try await log.recordOutcomes(
            due.map {
                let isFirst = $0.event == due.first?.event
                return DeliveryOutcome(
                    of: $0,
                    state: isFirst ? .pending(notBefore: retry) : .delivered,
                    attempt: DeliveryAttempt(number: 1, at: clock.now, status: isFirst ? 500 : 200)
                )
            }
        )
        // What nobody waits for shows that the bounds were applied.
        try await log.append([.of("b"), .of("b")])
        clock.now = clock.now.advanced(byMilliseconds: RetentionSweep.pause + 1)
        _ = try await log.eventuallyHas(1, "b")
        try await log.settle()
        #expect(try await log.texts("a") == ["1", "2", "3", "4"])
        clock.now = retry
        let again = try await log.due(of: "w", at: retry, limit: 10)
        #expect(again.map(\.event) == due.prefix(1).map(\.event))
        try await log.recordOutcomes(
            again.map {
                DeliveryOutcome(of: $0, state: .dead, attempt: DeliveryAttempt(number: 2, at: retry, status: 500))
            }
        )
        clock.now = clock.now.advanced(byMilliseconds: RetentionSweep.pause + 1)
        _ = try await log.eventuallyHas(1, "a")
        #expect(try await log.texts("a") == ["4"])
    }

    @Test func `removing follows posts in rounds, not each of them`() async throws {
        let log = try log(Retention(events: 1))
        let began = ContinuousClock.now
        for _ in 0..<500 { try await log.append([.of("a")]) }
        let removals = try await log.change { try Int.fetchOne($0.db, sql: "SELECT removals FROM log") ?? 0 }
        // After so many rows while posts come, or when none has come for 5 ms.
        let pauses = Int((ContinuousClock.now - began) / .milliseconds(5))
        #expect(removals <= 500 / MaintenanceSchedule.busyStep + pauses + 1)
        _ = try await log.eventuallyHas(1, "a")
    }

    @Test func `space is given back to the file system`() async throws {
        let directory = try TemporaryDirectory()
        var log = try log(at: .directory(directory.path))
        let text = String(repeating: "x", count: 10_000)
        for _ in 0..<20 { try await log.append((0..<100).map { _ in .of("a", text) }) }
        await log.close()
        let full = try #require(try directory.contents()["clarion.db"]).count
        log = try self.log(at: .directory(directory.path))
        try await log.setRetention(Retention(events: 10), of: .of("a"))
        _ = try await log.eventuallyHas(10, "a")
        let deadline = ContinuousClock.now + .seconds(20)
        func freePages() async throws -> Int {
            try await log.change { try Int.fetchOne($0.db, sql: "PRAGMA freelist_count") ?? 0 }
        }
        while try await freePages() > 700, ContinuousClock.now < deadline { await Task.yield() }
        await log.close()
        let left = try #require(try directory.contents()["clarion.db"]).count
        #expect(full > 20_000_000)
        #expect(left < full / 4, "\(left) of \(full) bytes are left")
    }
}
