import Foundation
import Testing

@testable import EventLog

/// Copies of a log, and logs that were copies.
@Suite struct BackupTests {
    private let log: TemporaryDirectory
    private let copy: TemporaryDirectory
    private let other: TemporaryDirectory

    init() throws {
        (log, copy, other) = (try TemporaryDirectory(), try TemporaryDirectory(), try TemporaryDirectory())
    }

    private func open(_ directory: TemporaryDirectory) throws(EventLogError) -> SQLiteEventLog {
        try SQLiteEventLog(at: .directory(directory.path), durability: .process)
    }

    private func check(_ directory: TemporaryDirectory) throws(EventLogError) -> [String] {
        try SQLiteEventLog.check(directory: directory.path).findings
    }

    private func backUp(to path: String) throws(EventLogError) {
        try SQLiteEventLog.backup(directory: log.path, to: path)
    }

    /// Posts three events, copies the log, and posts three more that the copy knows nothing of.
    /// - Returns: all six.
    private func fill(isOpen: Bool) async throws -> [Event] {
        let writer = try open(log)
        var draft = EventDraft.of("a", "1")
        draft.idempotencyKey = IdempotencyKey("key", fingerprint: [1])
        var events = try await writer.append([draft, .of("a", "2"), .of("b", "3")])
        if isOpen { try backUp(to: copy.path + "/clarion.db") }
        if !isOpen {
            await writer.close()
            try backUp(to: copy.path + "/clarion.db")
        }
        let again = isOpen ? writer : try open(log)
        events += try await again.append([.of("a", "4"), .of("b", "5"), .of("a", "6")])
        await again.close()
        return events
    }

    @Test(arguments: [true, false]) func `no id is given twice`(isOpen: Bool) async throws {
        let lost = try await fill(isOpen: isOpen)
        #expect(try check(copy) == [])
        try FileManager.default.copyItem(atPath: copy.path + "/clarion.db", toPath: other.path + "/clarion.db")
        var ids = Set(lost.map(\.id))
        for directory in [copy, other] {
            let restored = try open(directory)
            #expect(try await restored.event(lost[2].id)?.text == "3")
            #expect(try await restored.event(lost[3].id) == nil)
            let events = try await restored.append([.of("a", "new-1"), .of("b", "new-2"), .of("c", "new-3")])
            for event in events { #expect(ids.insert(event.id).inserted) }
            await restored.close()
            #expect(try check(directory) == [])
        }
    }

    @Test func `whoever comes from before finds all that is new, and that something is gone`() async throws {
        let lost = try await fill(isOpen: true)
        let restored = try open(copy)
        let beginning = restored.tail
        let new = try await restored.append([.of("a", "new"), .of("c", "new")])
        for patterns in [["a"], ["a", "c"], ["*"], ["a", "none"]] {
            let matching = patterns.map { TopicPattern.of($0) }
            for event in lost {
                let page = try await restored.read(after: event.position, matching: matching, limit: 9, byteLimit: .max)
                #expect(page.events.filter { new.contains($0) }.first == new[0], "\(patterns) after \(event.id)")
                #expect(page.hasGap)
            }
            // Who came when it had been restored and nothing was posted yet has all there is.
            for position in [beginning, new[0].position] {
                let page = try await restored.read(after: position, matching: matching, limit: 9, byteLimit: .max)
                #expect(!page.hasGap)
            }
        }
        await restored.close()
    }

    @Test func `what is in the copy keeps its ids, and keys what they stand for`() async throws {
        let events = try await fill(isOpen: true)
        let restored = try open(copy)
        #expect(restored.epoch == events[0].id.epoch)
        let page = try await restored.read(after: .start, matching: [.of("**")], limit: 9, byteLimit: .max)
        #expect(page.events == Array(events[..<3]))
        var draft = EventDraft.of("a", "1")
        draft.idempotencyKey = IdempotencyKey("key", fingerprint: [1])
        #expect(try await restored.append([draft]).map(\.id) == [events[0].id])
        await restored.close()
    }

    @Test func `only the first opening of a copy makes it go on elsewhere`() async throws {
        _ = try await fill(isOpen: true)
        let first = try open(copy)
        let event = try await first.append([.of("a")])[0]
        await first.close()
        let second = try open(copy)
        #expect(try await second.append([.of("a")])[0].position.rawValue == event.position.rawValue + 1)
        await second.close()
        // A copy of what was a copy is one, too.
        try SQLiteEventLog.backup(directory: copy.path, to: other.path + "/clarion.db")
        let third = try open(other)
        #expect(try await third.append([.of("a")])[0].position.rawValue > event.position.rawValue + 2)
        await third.close()
        #expect(try check(other) == [])
    }

    @Test func `observers hear what is posted after it`() async throws {
        let writer = try open(log)
        let record = ObserverRecord(id: "w", topics: [.of("*")], createdAt: .now())
        _ = try await writer.saveObserver(record, expecting: nil)
        let old = try await writer.append([.of("a", "1")])
        try backUp(to: copy.path + "/clarion.db")
        await writer.close()
        let restored = try open(copy)
        let new = try await restored.append([.of("a", "2"), .of("b", "3")])
        let due = try await restored.due(of: "w", at: .latest, limit: 10)
        #expect(due.map(\.event) == old + new)
        await restored.close()
        #expect(try check(copy) == [])
    }

    @Test func `positions do not run out`() {
        var tail = Int64(0)
        for _ in 0..<10_000 {
            let next = Restoration.drawPosition(beyond: tail)
            #expect(next - tail > 1 << 28 && Int64.max - next > 1 << 38)
            tail = next
        }
        #expect(Restoration.drawPosition(beyond: .max) == .max)
    }

    @Test func `only a file is replaced`() async throws {
        _ = try await fill(isOpen: true)
        let path = other.path + "/copy.db"
        let refused: [(String, () throws -> Void)] = [
            ("a symbolic link", { try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "x") }),
            ("a folder", { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }),
            ("is no file", { mkfifo(path, 0o600) }),
        ]
        for (words, make) in refused {
            try make()
            let error = #expect(throws: EventLogError.self) { try backUp(to: path) }
            #expect(error?.code == .copyUnwritable && error?.message.contains(words) == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["copy.db"])
            try FileManager.default.removeItem(atPath: path)
        }
        for _ in 0..<2 { try backUp(to: path) }
    }

    @Test func `a log that nobody has open has nothing beside it afterwards`() async throws {
        _ = try await fill(isOpen: true)
        let before = try log.contents()
        try backUp(to: other.path + "/copy.db")
        #expect(try log.contents() == before)
    }

    @Test func `a log whose file has another name is not ready`() async throws {
        let writer = try open(log)
        try await writer.probe()
        let path = log.path + "/clarion.db"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".moved")
        #expect(await code { () throws(EventLogError) in try await writer.probe() } == .missing)
        FileManager.default.createFile(atPath: path, contents: nil)
        #expect(await code { () throws(EventLogError) in try await writer.probe() } == .missing)
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".moved", toPath: path)
        try await writer.probe()
        await writer.close()
    }
}
