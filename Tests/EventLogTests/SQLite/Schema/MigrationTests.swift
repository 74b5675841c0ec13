import Foundation
import GRDB
import Testing

@testable import EventLog

/// A log that was made by an earlier version of this program, opened by this one.
@Suite struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a log as the version before did: 300 events on three topics, the newest of which was deleted, one webhook. Of
    /// its deliveries two wait for another attempt, one for its first, and the last has no row.
    private func makeEarlierVersion() throws {
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try queue.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA application_id = \(LogSchema.applicationID)")
            try db.execute(sql: EarlierSchema.tables)
        }
        try queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO log (id, epoch, high_water, revision, counted, fanned_out)
                    VALUES (1, '\(LogEpoch.random())', 0, 1, 301, 297)
                    """
            )
            for (number, name) in ["a", "b.c", "é"].enumerated() {
                try db.execute(sql: "INSERT INTO topic (id, name) VALUES (?, ?)", arguments: [number + 1, name])
            }
            for seq in 1...301 {
                try db.execute(
                    sql: """
                        INSERT INTO event (seq, topic, time, type, content_type, data) VALUES (?, ?, ?, 't', 'text/plain', ?)
                        """,
                    arguments: [seq, seq % 3 + 1, 1_700_000_000_000 + seq, Data("event \(seq)".utf8)]
                )
            }
            try db.execute(sql: "DELETE FROM event WHERE seq = 301")
            try db.execute(
                sql: """
                    UPDATE topic SET (events, bytes, last) = (
                        SELECT count(*), sum(length(data)), max(seq) FROM event WHERE event.topic = topic.id
                    )
                    """
            )
            try db.execute(
                sql: "INSERT INTO observer VALUES (1, 'w', 'b.*', 't', 1, x'7b7d', 1700000000000, 1)"
            )
            for seq in stride(from: 1, through: 297, by: 3) {
                try db.execute(
                    sql: """
                        INSERT INTO delivery (id, observer, event, state, attempts, not_before, settled_at, logged)
                        VALUES (?1, 1, ?1, ?2, 1, 1700000000000, iif(?2 > 0, 4102444800000, NULL), 1)
                        """,
                    arguments: [seq, seq == 1 ? -1 : seq < 10 ? LogSchema.pending : LogSchema.delivered]
                )
                try db.execute(
                    sql: "INSERT INTO attempt (id, number, ended_at, duration) VALUES (? * 32, 1, 1, 1)",
                    arguments: [seq]
                )
            }
            try db.execute(
                sql: "INSERT INTO delivery_stats (observer, delivered, failed, pending, dead) VALUES (1, 96, 0, 3, 0)"
            )
        }
        try queue.close()
    }

    @Test func `everything of the version before can be read, counted and added to`() async throws {
        try makeEarlierVersion()
        let report = try SQLiteEventLog.check(directory: directory.path)
        #expect(report.version == 10 && report.currentVersion == 11)
        #expect(report.findings == [])
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        #expect(log.tail == Position(301))
        let page = try await log.read(after: .start, matching: [.of("**")], limit: 1_000, byteLimit: .max)
        #expect(page.events.map(\.text) == (1...300).map { "event \($0)" })
        #expect(page.events.map(\.time.milliseconds) == (1...300).map { 1_700_000_000_000 + $0 })
        #expect(!page.hasGap)
        let topics = try await log.topics(prefix: "", after: nil, limit: 9)
        #expect(topics.map(\.topic.name) == ["a", "b.c", "é"])
        for (remainder, topic) in zip([0, 1, 2], topics) {
            let seqs = (1...300).filter { $0 % 3 == remainder }
            #expect(topic.events == 100)
            #expect(topic.bytes == seqs.reduce(0) { $0 + Int64("event \($1)".utf8.count) })
            #expect(topic.first?.position.rawValue == seqs.first.map(Int64.init))
            #expect(topic.last?.position.rawValue == seqs.last.map(Int64.init))
            #expect(topic.retention == nil)
        }
        #expect(try await log.observers().map(\.id) == ["w"])
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(delivered: 96, pending: 4))
        let pending = try await log.pendingDeliveries(of: "w", limit: 9)
        #expect(pending.map(\.event.text) == ["event 1", "event 4", "event 7", "event 298"])
        #expect(try await log.delivery(of: Position(10), to: "w")?.attempts.map(\.number) == [1])

        let event = try await log.append([.of("b.c", "new", type: "t")])[0]
        #expect(event.position == Position(302))
        #expect(try await log.deliveryStats(of: "w").pending == 5)
        #expect(try await log.summary(of: .of("b.c"))?.events == 101)
        #expect(try await log.deleteTopic(.of("b.c")))
        try await log.setRetention(Retention(events: 10), of: .of("é"))
        try await log.settle()
        #expect(try await log.summary(of: .of("é"))?.events == 10)
        #expect(try await log.deliveryStats(of: "w").pending == 0)
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `the name of an index is a name, whatever it says`() async throws {
        try makeEarlierVersion()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { db in
            try db.execute(
                sql: """
                    CREATE INDEX "IF EXISTS more; DELETE FROM event; --" ON event (time);
                    CREATE INDEX "with "" a quote" ON event (time)
                    """
            )
        }
        try queue.close()
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        #expect(try await log.summary(of: .of("b.c"))?.events == 100)
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `a log from before that, or of a later version, is refused and left as it is`() throws {
        for (identifier, words) in [
            ("9: topics that are gone", "before its first release"), ("12: more", "a later version"),
        ] {
            let directory = try TemporaryDirectory()
            let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
            try queue.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA application_id = \(LogSchema.applicationID)")
                try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [identifier])
            }
            try queue.close()
            let before = try directory.contents()
            let atOpening = #expect(throws: EventLogError.self) {
                _ = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
            }
            let atCheck = #expect(throws: EventLogError.self) {
                _ = try SQLiteEventLog.check(directory: directory.path)
            }
            for error in [atOpening, atCheck] {
                #expect(error?.code == .foreign && error?.message.contains(words) == true)
            }
            #expect(try directory.contents()["clarion.db"] == before["clarion.db"])
        }
    }
}
