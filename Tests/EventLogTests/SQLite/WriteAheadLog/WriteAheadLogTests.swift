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
        let deadline = ContinuousClock.now + .seconds(60)
        while try movedPages < step, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try movedPages >= step)
        await log.close()
    }

    /// How many pages of the write-ahead log are in the database file (`nBackfill`,
    /// <https://www.sqlite.org/walformat.html>).
    private var movedPages: UInt32 {
        get throws {
            let file = try FileHandle(forReadingFrom: URL(filePath: directory.path + "/clarion.db-shm"))
            try file.seek(toOffset: 96)
            let bytes = try #require(try file.read(upToCount: 4))
            return bytes.enumerated().reduce(0) { $0 | UInt32($1.element) << (8 * UInt32($1.offset)) }
        }
    }
}
