import EventLog
import Foundation
import GRDB
import Testing

/// What is there when a log is opened, and what must not be touched.
@Suite struct OpeningTests {
    private func open(
        _ directory: TemporaryDirectory,
        _ durability: Durability = .process
    ) throws(EventLogError) -> SQLiteEventLog {
        try SQLiteEventLog(at: .directory(directory.path), durability: durability)
    }

    private func refusal(_ directory: TemporaryDirectory) async -> EventLogError.Code? {
        await code { () throws(EventLogError) in try open(directory) }
    }

    @Test func `everything is there again`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory, .disk)
        let observer = ObserverRecord(id: "w", topics: [.of("a")], document: [1], createdAt: .now())
        let saved = try await log.saveObserver(observer, expecting: nil).record
        let events = try await log.append([.of("a", "1"), .of("b", "2")])
        await log.close()
        let again = try open(directory)
        #expect(again.epoch == log.epoch)
        #expect(again.tail == Position(2))
        let page = try await again.read(after: .start, matching: [.of("**")], limit: 10, byteLimit: .max)
        #expect(page.events == events)
        #expect(try await again.observers() == [saved])
        #expect(try await again.due(of: "w", at: .latest, limit: 10).map(\.event) == [events[0]])
        let more = try await again.append([.of("a")])
        #expect(more[0].position == Position(3))
        #expect(try await again.due(of: "w", at: .latest, limit: 10).count == 2)
        await again.close()
    }

    @Test func `a directory is made if there is none, and memory leaves nothing behind`() async throws {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path + "/new/er"), durability: .process)
        await log.close()
        #expect(FileManager.default.fileExists(atPath: directory.path + "/new/er/clarion.db"))
        let memory = try SQLiteEventLog(at: .directory(directory.path + "/none"), durability: .memory)
        _ = try await memory.append([.of("a")])
        await memory.close()
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/none"))
    }

    @Test func `nobody but its owner reads a log`() async throws {
        let directory = try TemporaryDirectory()
        let log = try SQLiteEventLog(at: .directory(directory.path + "/new"), durability: .process)
        _ = try await log.append([.of("a")])
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/new")
        #expect(names.contains("clarion.db") && names.contains("clarion.db-wal"))
        for name in [""] + names {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.path + "/new/" + name)
            let mode = try #require(attributes[.posixPermissions] as? Int)
            #expect(mode & 0o077 == 0, "\(name) has the mode \(String(mode, radix: 8))")
        }
        await log.close()
    }

    @Test(.timeLimit(.minutes(1)))
    func `a pipe in the place of the lock holds nobody up`() async throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.path + "/clarion.lock", 0o600) == 0)
        await (try? open(directory))?.close()
        #expect(throws: Never.self) { _ = try SQLiteEventLog.check(directory: directory.path) }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["clarion.db", "clarion.reserve"])
    func `a pipe in the place of a file is refused, and holds nobody up`(name: String) async throws {
        let directory = try TemporaryDirectory()
        #expect(mkfifo(directory.path + "/" + name, 0o600) == 0)
        let isDatabase = name == "clarion.db"
        #expect(await refusal(directory) == (isDatabase ? .foreign : .unwritable))
        let checked = await code { () throws(EventLogError) in try SQLiteEventLog.check(directory: directory.path) }
        #expect(checked == (isDatabase ? .foreign : nil))
    }

    @Test func `a reserve that cannot be made is no full disk: it is told, and named`() async throws {
        let directory = try TemporaryDirectory()
        let reserve = directory.path + "/clarion.reserve"
        try FileManager.default.createDirectory(atPath: reserve, withIntermediateDirectories: true)
        let error = #expect(throws: EventLogError.self) { try open(directory) }
        #expect(error?.code == .unwritable)
        #expect(error?.message == "\(reserve) cannot be opened: Is a directory.")
        try FileManager.default.removeItem(atPath: reserve)
        let log = try open(directory)
        #expect(try await log.append([.of("a")]).count == 1)
        await log.close()
    }

    @Test(arguments: [
        "TRIGGER thief AFTER INSERT ON event BEGIN DELETE FROM event; END", "UNIQUE INDEX one ON event (topic)",
    ])
    func `a log with a part that changes or refuses what is written is refused and left as it is`(
        part: String
    ) async throws {
        let directory = try TemporaryDirectory()
        await (try open(directory)).close()
        try await change(directory, "CREATE \(part)")
        let before = try directory.contents()
        #expect(await refusal(directory) == .corrupt)
        #expect(try directory.contents() == before)
    }

    /// Programs that copy databases keep their own marks in them.
    @Test func `a table of others in a log is let be`() async throws {
        let directory = try TemporaryDirectory()
        await (try open(directory)).close()
        try await change(directory, "CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)")
        #expect(await refusal(directory) == nil)
    }

    private func change(_ directory: TemporaryDirectory, _ sql: String) async throws {
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: sql) }
        try queue.close()
    }

    @Test func `what was acknowledged is in the files, without closing`() async throws {
        let directory = try TemporaryDirectory()
        let copy = try TemporaryDirectory()
        let log = try open(directory)
        for number in 0..<50 { _ = try await log.append([.of("a", "\(number)")]) }
        // What a process that is killed now would leave.
        for (name, bytes) in try directory.contents() { try bytes.write(to: URL(filePath: copy.path + "/" + name)) }
        let survivor = try open(copy)
        let page = try await survivor.read(after: .start, matching: [.of("a")], limit: 100, byteLimit: .max)
        #expect(page.events.map(\.text) == (0..<50).map(String.init))
        await survivor.close()
        await log.close()
    }

    @Test func `no position is used twice, also after the newest events are gone`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        _ = try await log.append([.of("a"), .of("a"), .of("a"), .of("a")])
        await log.close()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: "DELETE FROM event WHERE seq IN (2, 3, 4)") }
        try queue.close()
        let again = try open(directory)
        #expect(again.tail == Position(4))
        let page = try await again.read(after: .start, matching: [.of("a")], limit: 10, byteLimit: .max)
        #expect(page.events.count == 1 && page.scannedThrough == Position(4))
        #expect(try await again.position(since: .latest) == Position(4))
        #expect(try await again.append([.of("a")])[0].position == Position(5))
        await again.close()
    }

    @Test func `a second opener is refused until the first has closed`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        _ = try await log.append([.of("a")])
        #expect(await refusal(directory) == .locked)
        #expect(try await log.append([.of("a")]).count == 1)
        await log.close()
        #expect(await refusal(directory) == nil)
    }

    @Test func `a second opener is refused also where the lock was removed`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        try FileManager.default.removeItem(atPath: directory.path + "/clarion.lock")
        #expect(await refusal(directory) == .locked)
        #expect(try await log.append([.of("a")]).count == 1)
        await log.close()
        #expect(await refusal(directory) == nil)
    }

    @Test func `one log in two directories is opened once`() async throws {
        let directory = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        await (try open(directory)).close()
        try FileManager.default.linkItem(atPath: directory.path + "/clarion.db", toPath: other.path + "/clarion.db")
        let log = try open(directory)
        #expect(await refusal(other) == .locked)
        #expect(try await log.append([.of("a")]).count == 1)
        await log.close()
        let again = try open(other)
        #expect(again.tail == Position(1))
        #expect(await refusal(directory) == .locked)
        await again.close()
    }

    @Test func `a file that is no log is refused and left as it is`() async throws {
        let garbage = Data((0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for contents in [Data(), Data("hello".utf8), garbage] {
            let directory = try TemporaryDirectory()
            try contents.write(to: URL(filePath: directory.path + "/clarion.db"))
            #expect(await refusal(directory) == .foreign)
            #expect(try directory.contents() == ["clarion.db": contents], "nothing is made beside it")
        }
    }

    @Test func `a directory in the place of the log, or a file in that of its directory, is refused`() async throws {
        let directory = try TemporaryDirectory()
        let database = directory.path + "/clarion.db"
        try FileManager.default.createDirectory(atPath: database, withIntermediateDirectories: true)
        #expect(await refusal(directory) == .foreign)
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["clarion.db"])
        try FileManager.default.removeItem(atPath: database)
        try Data().write(to: URL(filePath: database))
        let error = #expect(throws: EventLogError.self) {
            try SQLiteEventLog(at: .directory(database), durability: .process)
        }
        #expect(error?.code == .unwritable)
        #expect(error?.message.contains("is a file") == true)
    }

    @Test(arguments: ["INDEX event_topic", "TABLE delivery", "TRIGGER delivery_deleted", "TABLE grdb_migrations"])
    func `a log that lacks a part is refused and left as it is`(part: String) async throws {
        let directory = try TemporaryDirectory()
        await (try open(directory)).close()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: "DROP \(part)") }
        try queue.close()
        let before = try directory.contents()["clarion.db"]
        let error = #expect(throws: EventLogError.self) { try open(directory) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the \(part.lowercased()) is missing") == true, "\(error as Any)")
        #expect(try directory.contents()["clarion.db"] == before)
    }

    @Test func `another program's database is refused and left as it is`() async throws {
        let directory = try TemporaryDirectory()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: "CREATE TABLE event (seq INTEGER PRIMARY KEY)") }
        try queue.close()
        let before = try directory.contents()["clarion.db"]
        #expect(await refusal(directory) == .foreign)
        #expect(try directory.contents()["clarion.db"] == before)
    }

    @Test func `a log of a later version is refused and left as it is`() async throws {
        let directory = try TemporaryDirectory()
        await (try open(directory)).close()
        let queue = try DatabaseQueue(path: directory.path + "/clarion.db")
        try await queue.write { try $0.execute(sql: "INSERT INTO grdb_migrations VALUES ('99: what comes')") }
        try queue.close()
        let before = try directory.contents()["clarion.db"]
        #expect(await refusal(directory) == .foreign)
        #expect(try directory.contents()["clarion.db"] == before)
    }

    @Test(arguments: [1, 2, 4]) func `a damaged log is refused and left as it is`(page: Int) async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        _ = try await log.append((0..<200).map { .of("topic.\($0)", String(repeating: "x", count: 100)) })
        await log.close()
        var damaged = try #require(try directory.contents()["clarion.db"])
        let start = page == 1 ? 200 : (page - 1) * 4_096
        damaged.replaceSubrange(start..<page * 4_096, with: Data(repeating: 0xA5, count: page * 4_096 - start))
        try damaged.write(to: URL(filePath: directory.path + "/clarion.db"))
        #expect(await refusal(directory) == .corrupt)
        #expect(try directory.contents()["clarion.db"] == damaged)
    }

    @Test func `a truncated log is refused and left as it is`() async throws {
        let directory = try TemporaryDirectory()
        let log = try open(directory)
        _ = try await log.append((0..<200).map { .of("topic.\($0)", String(repeating: "x", count: 100)) })
        await log.close()
        let truncated = try #require(try directory.contents()["clarion.db"]).prefix(3 * 4_096)
        try truncated.write(to: URL(filePath: directory.path + "/clarion.db"))
        #expect(await refusal(directory) == .corrupt)
        #expect(try directory.contents()["clarion.db"] == truncated)
    }

    @Test func `a write-ahead log without its database is not thrown away`() async throws {
        let directory = try TemporaryDirectory()
        let bytes = Data(repeating: 1, count: 100)
        try bytes.write(to: URL(filePath: directory.path + "/clarion.db-wal"))
        #expect(await refusal(directory) == .corrupt)
        #expect(try directory.contents()["clarion.db-wal"] == bytes)
    }

    @Test func `a place that cannot be written to is refused`() async throws {
        #expect(
            await code { () throws(EventLogError) in
                try SQLiteEventLog(at: .directory("/dev/null/clarion"), durability: .process)
            } == .unwritable
        )
    }

    @Test func `half a log that a crash left behind is replaced`() async throws {
        let directory = try TemporaryDirectory()
        try Data("half".utf8).write(to: URL(filePath: directory.path + "/clarion.db.new"))
        let log = try open(directory)
        #expect(try await log.append([.of("a")]).count == 1)
        await log.close()
    }
}
