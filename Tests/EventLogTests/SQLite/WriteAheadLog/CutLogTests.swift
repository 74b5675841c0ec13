import Foundation
import GRDB
import Testing

@testable import EventLog

/// A write-ahead log that somebody empties or cuts while a hub has it open, as if to make room.
@Suite struct CutLogTests {
    /// To nothing, within the header, within a frame, at the end of one and beside it; from the end where negative, which is
    /// within the only transaction: nothing before it has what it changes.
    static let cuts: [Int64] = {
        let ends = (1...12).map { (frame: Int64) in 32 + frame * 4120 }
        return [0, 31, 32, 100, 12_288] + ends + ends.map { $0 - 1 } + ends.flatMap { [32 - $0, 31 - $0] }
    }()

    @Test(arguments: cuts)
    func `what was in the database file stays, and nothing more is acknowledged`(cut: Int64) async throws {
        let directory = try TemporaryDirectory()
        let before = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        for number in 0..<50 { _ = try await before.append([.of("old", String(repeating: "\(number)", count: 500))]) }
        await before.close()

        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let long = String(repeating: "x", count: 3000)
        for number in 0..<(cut < 0 ? 0 : 20) {
            _ = try await log.append([.of("old", "\(number)"), .of("new\(number)", long)])
        }
        _ = try await log.append((0..<20).map { .of("last\($0)", long) })
        let wal = try FileHandle(forUpdating: URL(filePath: directory.path + "/clarion.db-wal"))
        let lost = log.tail
        let end = try wal.seekToEnd()
        let length = cut < 0 ? end - cut.magnitude : UInt64(cut)
        try #require(end > length, "the cut is none")
        try wal.truncate(atOffset: length)
        for _ in 0..<3 {
            #expect(await code { () throws(EventLogError) in try await log.append([.of("old")]) } == .missing)
            #expect(await code { () throws(EventLogError) in try await log.probe() } == .missing)
        }
        #expect(try wal.seekToEnd() <= length)
        await log.close()

        let report = try SQLiteEventLog.check(directory: directory.path)
        #expect(report.findings == [], "cut to \(length) of \(end)")
        let again = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let page = try await again.read(after: .start, matching: [.of("old")], limit: 100, byteLimit: .max)
        #expect(page.events.count >= 50)
        #expect(page.events.map(\.position) == page.events.map(\.position).sorted())
        // Whoever has heard of what is lost is told so, and of what comes now.
        let next = try #require(try await again.append([.of("old")]).events.first?.position)
        #expect(next > lost)
        #expect(try await again.read(after: lost, matching: [.of("old")], limit: 100, byteLimit: .max).hasGap)
        await again.close()
        let later = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let last = try #require(try await later.append([.of("old")]).events.first?.position)
        #expect(last.rawValue == next.rawValue + 1, "it goes on once")
        await later.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test(arguments: [0, 1, 31, 4120, 12_360, 40_000] as [UInt64])
    func `one that a crash left is watched from the opening on`(cut: UInt64) async throws {
        let (directory, crashed) = (try TemporaryDirectory(), try TemporaryDirectory())
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        for number in 0..<50 { _ = try await log.append([.of("old", "\(number)")]) }
        await log.close()
        let again = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        _ = try await again.append((0..<20).map { .of("last\($0)", String(repeating: "x", count: 3000)) })
        try directory.copyLog(to: crashed)
        await again.close()
        let opened = try SQLiteEventLog(at: .directory(crashed.path), durability: .process)
        let wal = try FileHandle(forUpdating: URL(filePath: crashed.path + "/clarion.db-wal"))
        let end = try wal.seekToEnd()
        try #require(end > cut)
        try wal.truncate(atOffset: end - cut)
        await opened.close()
        #expect(try SQLiteEventLog.check(directory: crashed.path).findings == [])
    }

    /// In eighths of what was moved; more is beyond it.
    @Test(arguments: 0...8)
    func `what is left before what was moved is not laid over that`(eighths: UInt64) throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/some.db"
        let writer = try DatabaseQueue(path: path)
        let written = WrittenFrames()
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA journal_mode = WAL")
            try db.execute(sql: "CREATE TABLE row (id INTEGER PRIMARY KEY, number INTEGER, filling BLOB)")
            try db.execute(sql: "CREATE INDEX row_number ON row (number)")
        }
        let checkpointer = try Checkpointer(path: path, written)
        func write(_ numbers: Range<Int>) throws {
            try writer.writeWithoutTransaction { db in
                for number in numbers {
                    let sql = "INSERT OR REPLACE INTO row VALUES (?, ?, randomblob(1000))"
                    try db.execute(sql: sql, arguments: [number * 7 % 100, -number])
                }
            }
        }
        try writer.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA wal_autocheckpoint = 0")
            WriteAheadLogFile.start(db, written, isWriter: true)
        }
        try write(0..<200)
        // Who reads keeps it from beginning anew, when all of it is moved.
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: path, configuration: configuration)
        try reader.inDatabase { try $0.execute(sql: "BEGIN; SELECT count(*) FROM row") }
        checkpointer.run()
        checkpointer.wait()
        let place = UInt64(written.moved)
        #expect(written.moved == written.end)
        let moved = try writer.read { try String.fetchAll($0, sql: "SELECT id || number FROM row ORDER BY id") }
        try write(200..<210)
        let wal = try FileHandle(forUpdating: URL(filePath: path + "-wal"))
        #expect(UInt64(written.moved) == place && written.end > written.moved)
        try wal.truncate(atOffset: eighths == 8 ? UInt64(written.end) - 1 : place * eighths / 8)
        #expect(throws: DatabaseError.self) { try write(210..<211) }
        try reader.inDatabase { try $0.execute(sql: "COMMIT") }
        try reader.close()
        try writer.close()
        checkpointer.close()
        let again = try DatabaseQueue(path: path)
        let (finding, rows) = try again.read { db in
            (
                try String.fetchOne(db, sql: "PRAGMA integrity_check"),
                try String.fetchAll(db, sql: "SELECT id || number FROM row ORDER BY id")
            )
        }
        #expect(finding == "ok")
        #expect((rows == moved) == (eighths < 8))
        try again.close()
    }
}
