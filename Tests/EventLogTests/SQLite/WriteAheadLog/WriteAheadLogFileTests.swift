import Foundation
import GRDB
import Testing

@testable import EventLog

@Suite struct WriteAheadLogFileTests {
    private let directory: TemporaryDirectory
    private let writer: DatabaseQueue
    private var path: String { directory.path + "/some.db" }

    init() throws {
        directory = try TemporaryDirectory()
        writer = try DatabaseQueue(path: directory.path + "/some.db")
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            // So few pages that a transaction is partly written before its end, and pages of it twice.
            try db.execute(sql: "PRAGMA cache_size = 10")
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            try db.execute(sql: "CREATE TABLE row (id INTEGER PRIMARY KEY, number INTEGER, filling BLOB)")
            try db.execute(sql: "CREATE INDEX row_number ON row (number)")
            WriteAheadLogFile.start(db, WrittenFrames())
        }
    }

    /// Where pages are written before their transaction's end none of it is undone: see ``LogDatabaseTests``.
    @Test(arguments: [UInt64(1), 2, 3], [false, true])
    func `whatever is committed is what others read, and what a crash leaves`(seed: UInt64, spills: Bool) throws {
        var random = SplitMix(seed: seed)
        try writer.inDatabase { try $0.execute(sql: "PRAGMA cache_spill = \(spills ? "ON" : "OFF")") }
        var model: [Int64: Int64] = [:]
        let other = try DatabaseQueue(path: path)
        for step in 0..<80 {
            try writer.writeWithoutTransaction { db in
                switch Int.random(in: 0..<10, using: &random) {
                case 0: _ = try? db.checkpoint(.passive)
                case 1: _ = try? db.checkpoint(Bool.random(using: &random) ? .restart : .truncate)
                case 2: try transaction(db, &random, &model, isUndone: !spills, commits: false)
                default: try transaction(db, &random, &model, isUndone: !spills, commits: true)
                }
            }
            #expect(try other.read(rows) == model, "seed \(seed), step \(step)")
            guard step % 10 == 0 else { continue }
            let copy = try TemporaryDirectory()
            for (name, bytes) in try directory.contents() where !name.hasSuffix("-shm") {
                try bytes.write(to: URL(filePath: copy.path + "/" + name))
            }
            let crashed = try DatabaseQueue(path: copy.path + "/some.db")
            #expect(try crashed.read(rows) == model, "seed \(seed), step \(step)")
            #expect(try crashed.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
            try crashed.close()
        }
        try other.close()
        try writer.close()
    }

    private func rows(_ db: Database) throws -> [Int64: Int64] {
        let rows = try Row.fetchAll(db, sql: "SELECT id, number FROM row")
        return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
    }

    /// Changes a few rows or many, undoes some of it, and looks at what it has done meanwhile.
    private func transaction(
        _ db: Database,
        _ random: inout SplitMix,
        _ model: inout [Int64: Int64],
        isUndone: Bool,
        commits: Bool
    ) throws {
        var changed = model
        try db.execute(sql: "BEGIN IMMEDIATE")
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let before = changed
            try db.execute(sql: "SAVEPOINT part")
            for _ in 0..<([1, 3, 100].randomElement(using: &random) ?? 1) {
                let id = Int64.random(in: 0..<400, using: &random)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try db.execute(sql: "DELETE FROM row WHERE id = ?", arguments: [id])
                    changed[id] = nil
                } else {
                    let number = Int64.random(in: 0..<1_000_000, using: &random)
                    let size = Int.random(in: 0..<3_000, using: &random)
                    let sql = "INSERT OR REPLACE INTO row VALUES (?, ?, randomblob(\(size)))"
                    try db.execute(sql: sql, arguments: [id, number])
                    changed[id] = number
                }
            }
            if isUndone, Int.random(in: 0..<4, using: &random) == 0 {
                try db.execute(sql: "ROLLBACK TO part")
                changed = before
            }
            try db.execute(sql: "RELEASE part")
            #expect(try rows(db) == changed)
        }
        try db.execute(sql: commits ? "COMMIT" : "ROLLBACK")
        if commits { model = changed }
    }

    @Test func `a commit of several pages is written in one piece`() throws {
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "INSERT INTO row VALUES (0, 0, x'')")
            let before = try writes
            for id in 1...20 { try db.execute(sql: "INSERT INTO row VALUES (?, ?, x'')", arguments: [id, -id]) }
            #expect(try writes - before == 20)
        }
        try writer.close()
    }

    /// How many writes the thread has asked the kernel for (proc(5), `syscw`).
    private var writes: Int {
        get throws {
            let lines = try String(contentsOfFile: "/proc/thread-self/io", encoding: .utf8).split(separator: "\n")
            let line = try #require(lines.first { $0.hasPrefix("syscw: ") })
            return try #require(Int(line.dropFirst(7)))
        }
    }
}
