import Foundation
import GRDB
import Testing

@testable import EventLog

/// A log that was made by an earlier version of this program, opened by this one.
@Suite struct MigrationTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Writes a log as the first version did: 300 events on three topics, the newest of which was deleted, one webhook.
    private func makeFirstVersion(largeEvents: Int = 0, migratedTo version: Int = 1) throws {
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA application_id = \(Schema.applicationID)") }
        try Schema.migrator.migrate(queue, upTo: "1: events, observers, deliveries")
        try queue.write { db in
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
            for _ in 0..<largeEvents {
                try db.execute(
                    sql: "INSERT INTO event (topic, time, data) VALUES (1, 1700000001000, zeroblob(1000000))"
                )
            }
            try db.execute(sql: "DELETE FROM event WHERE seq = 301")
            try db.execute(
                sql: "INSERT INTO observer VALUES (1, 'w', 'b.*', 't', 1, x'7b7d', 1700000000000, 1)"
            )
            try db.execute(sql: "UPDATE log SET revision = 1")
            for seq in stride(from: 1, through: 298, by: 3) {
                try db.execute(
                    sql: """
                        INSERT INTO delivery (observer, event, state, attempts, not_before) VALUES (1, ?, ?, 1, 1700000000000)
                        """,
                    arguments: [seq, seq < 10 ? Schema.pending : Schema.delivered]
                )
            }
            try db.execute(
                sql: "INSERT INTO delivery_stats (observer, delivered, failed, pending, dead) VALUES (1, 97, 0, 3, 0)"
            )
        }
        // As a later version has brought it up to its own.
        try Schema.migrator.migrate(queue, upTo: Schema.migrator.migrations[version - 1])
        try queue.close()
    }

    @Test(arguments: 1...Schema.migrator.migrations.count)
    func `everything of an earlier version can be read, counted and added to`(version: Int) async throws {
        try makeFirstVersion(migratedTo: version)
        let report = try SQLiteEventLog.check(directory: directory.path)
        #expect(report.version == version)
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
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(delivered: 97, pending: 3))
        let pending = try await log.pendingDeliveries(of: "w", limit: 9)
        #expect(pending.map(\.event.text) == ["event 1", "event 4", "event 7"])

        let event = try await log.append([.of("b.c", "new", type: "t")])[0]
        #expect(event.position == Position(302))
        #expect(try await log.deliveryStats(of: "w").pending == 4)
        #expect(try await log.summary(of: .of("b.c"))?.events == 101)
        #expect(try await log.deleteTopic(.of("b.c")))
        try await log.setRetention(Retention(events: 10), of: .of("é"))
        try await log.settle()
        #expect(try await log.summary(of: .of("é"))?.events == 10)
        #expect(try await log.deliveryStats(of: "w").pending == 0)
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `a small file gives space back from then on`() async throws {
        try makeFirstVersion(largeEvents: 10)
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let mode = try await log.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") }
        #expect(mode == 2)
        let page = try await log.read(after: .start, matching: [.of("**")], limit: 1_000, byteLimit: .max)
        #expect(page.events.count == 310)
        #expect(try await log.deleteTopic(.of("a")))
        try await log.settle()
        await log.close()
        let size = try #require(try directory.contents()["clarion.db"]).count
        #expect(size < 3_000_000, "\(size) bytes are left")
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `a large file is left as it is, and its space used again`() async throws {
        try makeFirstVersion(largeEvents: 70)
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        #expect(try await log.read { try Int.fetchOne($0, sql: "PRAGMA auto_vacuum") } == 0)
        #expect(try await log.deleteTopic(.of("a")))
        try await log.settle()
        let large = EventDraft(topic: .of("b"), data: Array(repeating: 0, count: 1_000_000))
        for _ in 0..<60 { try await log.append([large]) }
        await log.close()
        let size = try #require(try directory.contents()["clarion.db"]).count
        #expect(size < 75_000_000, "\(size) bytes")
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }
}
