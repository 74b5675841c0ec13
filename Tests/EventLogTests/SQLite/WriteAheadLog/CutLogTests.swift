import EventLog
import Foundation
import Testing

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
        let end = try wal.seekToEnd()
        let length = cut < 0 ? end - cut.magnitude : UInt64(cut)
        try #require(end > length, "the cut is none")
        try wal.truncate(atOffset: length)
        for _ in 0..<3 {
            #expect(await code { () throws(EventLogError) in try await log.append([.of("old")]) } == .missing)
            #expect(await code { () throws(EventLogError) in try await log.probe() } == .missing)
        }
        #expect(try wal.seekToEnd() == length)
        await log.close()

        let report = try SQLiteEventLog.check(directory: directory.path)
        #expect(report.findings == [], "cut to \(length) of \(end)")
        let again = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
        let page = try await again.read(after: .start, matching: [.of("old")], limit: 100, byteLimit: .max)
        #expect(page.events.count >= 50)
        #expect(page.events.map(\.position) == page.events.map(\.position).sorted())
        _ = try await again.append([.of("old")])
        await again.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }
}
