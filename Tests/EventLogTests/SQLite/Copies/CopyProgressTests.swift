import Foundation
import GRDB
import Testing

@testable import EventLog

/// A copy with a write-ahead log beside it: its own goes on, another's is refused before anything is written.
@Suite struct CopyProgressTests {
    private let log: TemporaryDirectory
    private let copy: TemporaryDirectory
    private let other: TemporaryDirectory

    init() throws {
        (log, copy, other) = (try TemporaryDirectory(), try TemporaryDirectory(), try TemporaryDirectory())
    }

    private func open(_ directory: TemporaryDirectory) throws(EventLogError) -> SQLiteEventLog {
        try SQLiteEventLog(at: .directory(directory.path), durability: .process)
    }

    private func file(_ directory: TemporaryDirectory, _ end: String = "") -> String {
        directory.path + "/clarion.db" + end
    }

    /// What a process that is killed would leave.
    private func take(_ end: String, of directory: TemporaryDirectory, to target: TemporaryDirectory) throws {
        try? FileManager.default.removeItem(atPath: file(target, end))
        try FileManager.default.copyItem(atPath: file(directory, end), toPath: file(target, end))
    }

    private func isMarked(_ directory: TemporaryDirectory) throws -> Bool {
        try LogFile(directory: directory.path).isCopy()
    }

    private func refusal(_ body: () async throws -> Void) async -> EventLogError? {
        do {
            try await body()
            return nil
        } catch {
            return error as? EventLogError
        }
    }

    /// That a copy in ``other`` is refused for what is beside it, and left as it is.
    private func expectRefusal() async throws {
        let before = try ["", "-wal"].map { try Data(contentsOf: URL(filePath: file(other, $0))) }
        for refused in [
            await refusal { await (try open(other)).close() },
            await refusal { _ = try SQLiteEventLog.check(directory: other.path) },
            await refusal { try SQLiteEventLog.backup(directory: other.path, to: copy.path + "/again.db") },
        ] {
            #expect(refused?.code == .foreign)
            #expect(refused?.message.contains("\(file(other))-wal is of another log: move it away") == true)
        }
        #expect(try ["", "-wal"].map { try Data(contentsOf: URL(filePath: file(other, $0))) } == before)
        // Whoever does that has what is in the copy.
        for end in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file(other, end)) }
        let restored = try open(other)
        #expect(try await restored.append([.of("a", "new")]).count == 1)
        await restored.close()
        #expect(try SQLiteEventLog.check(directory: other.path).findings == [])
    }

    /// Opens ``copy`` while somebody reads it, so that the end of being a copy stays in the write-ahead log, as it did with
    /// earlier versions, and posts. Then has what is on disk in ``other``.
    private func openWithoutCheckpoint(posting count: Int) async throws -> [Event] {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: file(copy), configuration: configuration)
        defer { try? reader.close() }
        try await reader.writeWithoutTransaction { db in
            try db.execute(sql: "BEGIN")
            _ = try Row.fetchOne(db, sql: "SELECT * FROM log")
        }
        let restored = try open(copy)
        #expect(try isMarked(copy))
        var events: [Event] = []
        for number in 0..<count { events += try await restored.append([.of("a", "\(number)")]) }
        for end in ["", "-wal"] { try take(end, of: copy, to: other) }
        try await reader.writeWithoutTransaction { db in try db.execute(sql: "COMMIT") }
        await restored.close()
        return events
    }

    @Test(arguments: [1, 2_000]) func `the write-ahead log of another log is refused`(count: Int) async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(other))
        for number in 0..<count { _ = try await writer.append([.of("a", "\(number)"), .of("b\(number)", "x")]) }
        try take("-wal", of: log, to: other)
        await writer.close()
        try await expectRefusal()
    }

    @Test func `that of a log which was restored itself is refused beside a later copy`() async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(copy))
        await writer.close()
        let restored = try open(copy)
        for number in 0..<100 { _ = try await restored.append([.of("b\(number)", "x")]) }
        try SQLiteEventLog.backup(directory: copy.path, to: file(other))
        for number in 0..<100 { _ = try await restored.append([.of("c\(number)", "x")]) }
        try take("-wal", of: copy, to: other)
        await restored.close()
        try await expectRefusal()
    }

    @Test(arguments: [1, 10, 200])
    func `what was begun on an earlier copy is refused beside a later one`(count: Int) async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(copy))
        for number in 0..<count { _ = try await writer.append([.of("b\(number)", String(repeating: "x", count: 500))]) }
        _ = try await openWithoutCheckpoint(posting: 100)
        try FileManager.default.removeItem(atPath: file(other))
        try SQLiteEventLog.backup(directory: log.path, to: other.path + "/later.db")
        try FileManager.default.moveItem(atPath: other.path + "/later.db", toPath: file(other))
        await writer.close()
        try await expectRefusal()
    }

    @Test func `its own is taken, with all that was acknowledged, also of a log that is restored twice`() async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(copy))
        await writer.close()
        for round in 1...2 {
            let events = try await openWithoutCheckpoint(posting: 20)
            #expect(try isMarked(other))
            #expect(try SQLiteEventLog.check(directory: other.path).findings == [])
            let again = try open(other)
            #expect(try !isMarked(other))
            for event in events { #expect(try await again.event(event.id)?.data == event.data) }
            let next = try await again.append([.of("a", "next")])[0]
            #expect(next.position.rawValue == events[19].position.rawValue + 1, "round \(round)")
            try FileManager.default.removeItem(atPath: file(copy))
            try SQLiteEventLog.backup(directory: other.path, to: file(copy))
            await again.close()
            for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file(other, end)) }
        }
    }

    @Test func `before anything is given out, the file itself says that it is no copy`() async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(copy))
        await writer.close()
        let restored = try open(copy)
        #expect(try !isMarked(copy))
        let events = try await restored.append([.of("a", "new")])
        for end in ["", "-wal"] { try take(end, of: copy, to: other) }
        await restored.close()
        let again = try open(other)
        #expect(try await again.event(events[0].id) != nil)
        await again.close()
    }

    @Test func `one without a transaction is of no log`() async throws {
        let writer = try open(log)
        _ = try await writer.append([.of("a", "old")])
        try SQLiteEventLog.backup(directory: log.path, to: file(copy))
        let header = try Data(contentsOf: URL(filePath: file(log, "-wal"))).prefix(32 + 24 + 100)
        await writer.close()
        for rest in [Data(), header.prefix(32), header] {
            try take("", of: copy, to: other)
            try rest.write(to: URL(filePath: file(other, "-wal")))
            let restored = try open(other)
            #expect(try await restored.append([.of("a", "new")]).count == 1)
            await restored.close()
        }
    }

    @Test func `tables that were brought up to date for a copy are its own`() {
        func progress(version: Int, epoch: String = "e", isMarked: Bool = true) -> CopyProgress {
            CopyProgress(
                isMarked: isMarked,
                version: version,
                epoch: epoch,
                tail: 3,
                removals: 0,
                restoration: nil,
                newest: 3
            )
        }
        let copy = progress(version: 10)
        #expect(progress(version: 11).continues(copy))
        #expect(!progress(version: 10).continues(copy))
        #expect(!progress(version: 11, epoch: "f").continues(copy))
        #expect(!progress(version: 11, isMarked: false).continues(copy))
    }
}
