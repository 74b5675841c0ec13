import GRDB
import Testing

@testable import EventLog

@Suite struct LogDatabaseTests {
    @Test func `what is committed after a large part was undone survives a crash`() throws {
        let (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let opened = try LogDatabase(at: .directory(directory.path), durability: .process, limits: .init())
        try opened.connection.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN IMMEDIATE")
            try db.execute(sql: "SAVEPOINT part")
            // More than SQLite's cache has room for, and pages of it twice.
            for number in 1...10_000 {
                let sql = "INSERT INTO event (seq, topic, time, data) VALUES (?, ?, 0, zeroblob(4000))"
                try db.execute(sql: sql, arguments: [number, number % 7])
            }
            try db.execute(sql: "UPDATE event SET time = 1 WHERE seq > 500")
            try db.execute(sql: "ROLLBACK TO part")
            try db.execute(sql: "RELEASE part")
            try db.execute(sql: "INSERT INTO event (seq, topic, time, data) VALUES (1, 1, 0, x'')")
            try db.execute(sql: "COMMIT")
        }
        try directory.copyLog(to: copy)
        opened.close()
        let crashed = try DatabaseQueue(path: copy.path + "/clarion.db")
        #expect(try crashed.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM event") } == 1)
        try crashed.close()
    }
}
