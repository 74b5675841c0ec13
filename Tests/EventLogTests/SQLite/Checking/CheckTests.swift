import Foundation
import GRDB
import Testing

@testable import EventLog

/// Verifying a log that nobody has open.
@Suite struct CheckTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// A log with some of everything, closed.
    private func fill() async throws -> LogEpoch {
        let clock = ManualClock()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process, manual: clock)
        for id in ["w", "gone"] as [ObserverID] {
            _ = try await log.saveObserver(
                ObserverRecord(id: id, topics: [.of("a"), .of("b.*")], createdAt: clock.now),
                expecting: nil
            )
        }
        for number in 0..<50 {
            var draft = EventDraft.of("a", "\(number)", type: "t")
            draft.idempotencyKey = IdempotencyKey("\(number)", fingerprint: [1])
            try await log.append([draft, .of("b.c", "x"), EventDraft(topic: .of("deleted"), data: [0xFF])])
            clock.now = clock.now.advanced(byMilliseconds: 1)
        }
        let due = try await log.pendingDeliveries(of: "w", limit: 30)
        try await log.recordOutcomes(
            due.map {
                DeliveryOutcome(
                    of: $0,
                    state: $0.event.position.rawValue.isMultiple(of: 2) ? .delivered : .dead,
                    attempt: DeliveryAttempt(number: 1, at: clock.now)
                )
            }
        )
        _ = try await log.deleteObserver("gone", expecting: nil)
        // Until its deliveries are gone: events that are waited for are kept.
        try await log.settle()
        try await log.setRetention(Retention(events: 30), of: .of("a"))
        _ = try await log.deleteTopic(.of("deleted"))
        try await log.settle()
        await log.close()
        return log.epoch
    }

    private func check() throws(EventLogError) -> LogReport { try SQLiteEventLog.check(directory: directory.path) }

    private func damage(_ sql: String) throws {
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `a sound log is reported as it is, and not changed`() async throws {
        let epoch = try await fill()
        let before = try directory.contents()
        let report = try check()
        #expect(report.findings == [])
        #expect(report.epoch == epoch)
        #expect(report.version == report.currentVersion)
        #expect(report.events == 85, "35 of a, which a webhook waits for, and 50 of b.c")
        #expect(report.topics == 2 && report.observers == 1)
        #expect(report.deliveries == 85 && report.keys == 50)
        #expect(report.tail == Position(150))
        #expect(try directory.contents() == before)
    }

    @Test func `a log that was killed is read with its write-ahead log, and not changed`() async throws {
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        try await log.append((0..<100).map { .of("a", "\($0)") })
        let copy = try TemporaryDirectory()
        for (name, bytes) in try directory.contents() where name != "clarion.db-shm" {
            try bytes.write(to: URL(filePath: copy.path + "/" + name))
        }
        await log.close()
        let before = try copy.contents()
        let report = try SQLiteEventLog.check(directory: copy.path)
        #expect(report.findings == [] && report.events == 100)
        #expect(try copy.contents() == before)
        let again = try SQLiteEventLog(at: .directory(copy.path), durability: .process)
        #expect(again.tail == Position(100))
        await again.close()
    }

    @Test func `a clock that was set back is no fault, also if what was posted then is gone`() async throws {
        let clock = ManualClock()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process, manual: clock)
        try await log.append([.of("a")])
        clock.step(byMilliseconds: -70_000)
        try await log.append([.of("gone")])
        clock.now = clock.now.advanced(byMilliseconds: 40_000)
        try await log.append([.of("a")])
        _ = try await log.deleteTopic(.of("gone"))
        try await log.settle()
        await log.close()
        #expect(try check().findings == [])
        #expect(try check().events == 2)
    }

    @Test func `a log that is open is refused`() async throws {
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        #expect(await code { () throws(EventLogError) in try check() } == .locked)
        try await log.append([.of("a")])
        await log.close()
        #expect(try check().isSound)
    }

    @Test func `what is no log is refused, and nothing is made`() async throws {
        #expect(await code { () throws(EventLogError) in try check() } == .missing)
        #expect(
            await code { () throws(EventLogError) in try SQLiteEventLog.check(directory: directory.path + "/none") }
                == .missing
        )
        #expect(try directory.contents().isEmpty)
        for contents in [Data(), Data("hello".utf8), Data(repeating: 7, count: 10_000)] {
            try contents.write(to: URL(filePath: directory.path + "/clarion.db"))
            #expect(await code { () throws(EventLogError) in try check() } == .foreign)
            #expect(try directory.contents() == ["clarion.db": contents])
        }
    }

    @Test func `a log of a later version is refused`() async throws {
        _ = try await fill()
        try damage("INSERT INTO grdb_migrations VALUES ('99: what comes')")
        #expect(await code { () throws(EventLogError) in try check() } == .foreign)
    }

    @Test(arguments: [2, 3, 5, 9]) func `a damaged page is found`(page: Int) async throws {
        _ = try await fill()
        var bytes = try #require(try directory.contents()["clarion.db"])
        bytes.replaceSubrange((page - 1) * 4_096 + 8..<page * 4_096, with: Data(repeating: 0xA5, count: 4_088))
        try bytes.write(to: URL(filePath: directory.path + "/clarion.db"))
        let report = try check()
        #expect(report.findings.contains { $0.hasPrefix("the file ") }, "\(report.findings)")
        #expect(try directory.contents()["clarion.db"] == bytes)
    }

    @Test(arguments: [
        "log SET held_topics = -9223372036854775808", "log SET held_keys = 9223372036854775807",
        "log SET removals = 9223372036854775807", "log SET revision = 9223372036854775807", "log SET high_water = -1",
        "log SET high_water = 9223372036854775807",
        "log SET time = -9223372036854775808", "log SET time_of_day = 9223372036854775807",
        "delivery_stats SET cursor = -9223372036854775808",
    ])
    func `a log whose numbers cannot be is not opened`(change: String) async throws {
        _ = try await fill()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: "UPDATE \(change)") }
        try queue.close()
        let error = #expect(throws: EventLogError.self) {
            _ = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        }
        #expect(error?.code == .corrupt)
        let table = change.prefix { $0 != " " }
        #expect(try check().findings.contains { $0.contains("numbers of \(table) cannot be") })
    }

    @Test func `damage to the page of the versions is told by what is damaged`() async throws {
        _ = try await fill()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        let root = try await queue.read {
            try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'grdb_migrations'")
        }
        try queue.close()
        let page = try #require(root)
        var bytes = try #require(try directory.contents()["clarion.db"])
        bytes.replaceSubrange((page - 1) * 4_096..<page * 4_096, with: Data(repeating: 0xA5, count: 4_096))
        try bytes.write(to: URL(filePath: directory.path + "/clarion.db"))
        let report = try check()
        #expect(report.findings.contains { $0.hasPrefix("the file is damaged: ") }, "\(report.findings)")
        #expect(report.events == 85, "what can be read is read")
    }

    @Test(arguments: [
        ("DROP INDEX event_topic", "the index event_topic is missing"),
        ("DROP TRIGGER event_deleted", "the trigger event_deleted is missing"),
        ("DROP TABLE idempotency", "the table idempotency is missing"),
        ("DROP TABLE grdb_migrations", "the table grdb_migrations is missing"),
        ("CREATE INDEX more ON event (time)", "the index more is not as this program makes it"),
        ("ALTER TABLE observer ADD COLUMN more", "the table observer is not as this program makes it"),
        (
            "DROP INDEX delivery_due; CREATE INDEX delivery_due ON delivery (observer)",
            "the index delivery_due is not as this program makes it"
        ),
        (
            """
            PRAGMA writable_schema = ON;
            INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage, NULL FROM sqlite_master WHERE name = 'event_topic'
            """,
            "the index event_topic is not as this program makes it"
        ),
    ])
    func `a difference to a fresh log of its version is found`(sql: String, finding: String) async throws {
        _ = try await fill()
        try damage(sql)
        let report = try check()
        #expect(report.findings.contains(finding), "\(report.findings)")
    }

    @Test func `a table of others is let be`() async throws {
        _ = try await fill()
        try damage("CREATE TABLE more (id)")
        #expect(try check().findings == [])
    }

    @Test(arguments: [
        ("UPDATE topic SET events = events + 1 WHERE name = 'a'", "topic \"a\" counts 36 events"),
        ("UPDATE topic SET bytes = 0 WHERE name = 'b.c'", "topic \"b.c\" counts 50 events of 0 bytes"),
        ("UPDATE topic SET last = 7 WHERE name = 'a'", "topic \"a\" counts"),
        ("UPDATE topic SET name = 'a b' WHERE name = 'a'", "illegal name"),
        ("UPDATE topic SET retain_age = 0 WHERE name = 'a'", "has a bound that nobody can have set"),
        ("UPDATE topic SET retain_events = 0 WHERE name = 'a'", "has a bound that nobody can have set"),
        ("UPDATE topic SET retain_bytes = -1 WHERE name = 'a'", "has a bound that nobody can have set"),
        ("UPDATE topic SET removed = 9999 WHERE name = 'a'", "never posted"),
        ("UPDATE log SET counted = 9999", "not reached"),
        ("DELETE FROM topic WHERE name = 'b.c'", "is on a topic without a name"),
        ("UPDATE topic SET is_purged = 1, removed = 100 WHERE name = 'b.c'", "has rows of events that are gone"),
        ("UPDATE event SET data = 'text' WHERE seq = 149", "data that are no bytes"),
        ("UPDATE event SET type = x'FF' WHERE seq = 149", "a type or content type that is"),
        ("UPDATE event SET type = char(10) || 'b' WHERE seq = 149", "event 149 has a type or content type of"),
        ("UPDATE event SET attributes = '{\"a\":' WHERE seq = 149", "event 149 has attributes that are no JSON"),
        ("UPDATE event SET time = time - 10 WHERE seq = 149", "event 149 has a time"),
        ("UPDATE event SET seq = -3 WHERE seq = 149", "before the first position"),
        ("DELETE FROM event WHERE seq = (SELECT max(event) FROM delivery)", "is of no event"),
        ("UPDATE delivery SET observer = 77 WHERE event = (SELECT max(event) FROM delivery)", "is for no observer"),
        ("UPDATE delivery SET state = 5 WHERE event = (SELECT max(event) FROM delivery)", "in no known state"),
        ("UPDATE delivery SET state = 0", "observer w counts 0 pending"),
        ("UPDATE delivery_stats SET cursor = 151", "has come to position 151, which"),
        ("DELETE FROM interest", "does not say what it wants"),
        (
            "INSERT INTO delivery (id, observer, event, state, attempts, not_before) SELECT 9999, observer, event, 1, 1, 1 FROM delivery LIMIT 1",
            "2 times"
        ),
        ("DELETE FROM delivery_stats", "has no counters"),
        ("UPDATE observer SET topics = 'a.**.b' WHERE name = 'w'", "is no pattern"),
        ("UPDATE observer SET revision = 99 WHERE name = 'w'", "a revision that was not given yet"),
        ("UPDATE observer SET document = 'x' WHERE name = 'w'", "observer w cannot be read"),
        ("UPDATE idempotency SET topic = 99 WHERE key = '7'", "of no topic"),
        ("UPDATE idempotency SET event = 9999 WHERE key = '7'", "never posted"),
        ("UPDATE log SET epoch = 'x'", "does not say who it is"),
        ("DROP TABLE delivery", "cannot be read"),
    ])
    func `what does not belong together is found`(sql: String, finding: String) async throws {
        _ = try await fill()
        try damage(sql)
        let report = try check()
        #expect(report.findings.contains { $0.contains(finding) }, "\(report.findings)")
    }

    @Test func `of many findings of one kind the first are written out`() async throws {
        _ = try await fill()
        try damage("UPDATE event SET data = 'text'")
        let report = try check()
        #expect(report.findings.contains { $0 == "… and 75 more like it" }, "\(report.findings)")
        #expect(report.findings.count < 30)
    }
}
