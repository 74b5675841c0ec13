import Foundation
import GRDB
import Testing

@testable import EventLog

@Suite struct WriteAheadLogTests {
    private let directory: TemporaryDirectory
    private let log: SQLiteEventLog

    init() throws {
        directory = try TemporaryDirectory()
        log = try SQLiteEventLog(at: .directory(directory.path), durability: .process)
    }

    @Test func `what another program writes between posts keeps none of them out`() async throws {
        _ = try await log.append([EventDraft(topic: .of("a"), data: [1])])
        var configuration = Configuration()
        // The log may be at work on its own.
        configuration.busyMode = .timeout(10)
        let other = try DatabaseQueue(path: directory.path + "/clarion.db", configuration: configuration)
        for number in 0..<5 as Range<UInt8> {
            try await other.write { db in try db.execute(sql: "UPDATE log SET revision = revision + 1") }
            _ = try await log.append([EventDraft(topic: .of("a"), data: [number])])
        }
        #expect(log.tail == Position(6))
        try other.close()
        await log.close()
    }

    @Test func `a checkpoint moves all that was committed before it, whatever snapshot the writer held`() async throws {
        let large = EventDraft(topic: .of("a"), data: Array(repeating: 1, count: 100_000))
        let step = CheckpointSchedule(pageSize: 4_096).step
        for _ in 0...step / 24 { _ = try await log.append([large]) }
        // When all was moved the next commit may have the log begin anew.
        let isMoved = { try number(at: 96) >= step || number(at: 16) < step }
        let deadline = ContinuousClock.now + .seconds(60)
        while try !isMoved(), ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try isMoved())
        await log.close()
    }

    /// Of the write-ahead log's index (<https://www.sqlite.org/walformat.html>): at 16 how many pages it has (`mxFrame`), and at
    /// 96 how many of them are in the database file (`nBackfill`).
    private func number(at offset: UInt64) throws -> UInt32 {
        let file = try FileHandle(forReadingFrom: URL(filePath: directory.path + "/clarion.db-shm"))
        try file.seek(toOffset: offset)
        let bytes = try #require(try file.read(upToCount: 4))
        return bytes.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
    }
}
