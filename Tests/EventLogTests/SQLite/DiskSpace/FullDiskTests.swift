import Foundation
import Testing

@testable import EventLog

/// A real file system that is full, and has room again.
@Suite(.enabled(if: SmallFileSystem.isAllowed, "a small file system cannot be mounted here"))
struct FullDiskTests {
    private let disk: SmallFileSystem

    init() throws { disk = try #require(try SmallFileSystem(megabytes: 5)) }

    private func open(_ durability: Durability = .process) throws(EventLogError) -> SQLiteEventLog {
        try SQLiteEventLog(at: .directory(disk.path + "/data"), durability: durability)
    }

    private func draft(_ topic: String, bytes: Int) -> EventDraft {
        EventDraft(topic: .of(topic), data: Array(repeating: 7, count: bytes))
    }

    /// Posts until there is no room.
    private func fill(_ log: SQLiteEventLog, _ topic: String, bytes: Int) async throws -> [Event] {
        var events: [Event] = []
        while true {
            do {
                events += try await log.append([draft(topic, bytes: bytes), draft(topic, bytes: bytes / 2)])
            } catch {
                #expect(error.code == .storageFull)
                return events
            }
        }
    }

    private func expect(_ events: [Event], in log: SQLiteEventLog) async throws {
        var found: [Event] = []
        var position = Position.start
        while true {
            let page = try await log.read(after: position, matching: [.of("**")], limit: 1_000, byteLimit: .max)
            found += page.events
            position = page.scannedThrough
            if page.isLast { break }
        }
        let isSame = found == events
        #expect(isSame, "\(found.count) events instead of \(events.count)")
    }

    /// Waits until a post is taken again.
    private func posted(_ log: SQLiteEventLog, _ draft: EventDraft) async throws -> [Event] {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try await log.append([draft])
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
    }

    private func end(_ log: SQLiteEventLog, with events: [Event]) async throws {
        try await expect(events, in: log)
        await log.close()
        let again = try open()
        try await expect(events, in: again)
        await again.close()
        #expect(try SQLiteEventLog.check(directory: disk.path + "/data").findings == [])
    }

    @Test(arguments: [Durability.disk, .process], [300, 20_000, 300_000])
    func `posts are refused whole, and taken again when another's file is gone`(
        durability: Durability,
        bytes: Int
    ) async throws {
        let log = try open(durability)
        var events = try await log.append([draft("a", bytes: 10)])
        try disk.fill("foreign")
        events += try await fill(log, "a", bytes: bytes)
        try disk.fill("foreign more")
        for _ in 0..<3 {
            let refusal = await code { () throws(EventLogError) in
                try await log.append([draft("a", bytes: 10), draft("new", bytes: bytes)])
            }
            #expect(refusal == .storageFull)
        }
        #expect(log.tail == events.last?.position)
        try await expect(events, in: log)
        #expect(try await log.summary(of: .of("new")) == nil)
        try disk.remove("foreign")
        events += try await posted(log, draft("a", bytes: bytes))
        #expect(disk.exists("data/clarion.reserve"))
        try await end(log, with: events)
    }

    @Test(arguments: [300, 20_000, 300_000])
    func `retention that is set on a full disk makes room`(bytes: Int) async throws {
        let log = try open()
        let filled = try await fill(log, "a", bytes: bytes)
        try disk.fill("foreign")
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1_000)]) } != nil)
        try await log.setRetention(Retention(events: 2), of: .of("a"))
        try await log.settle()
        let more = try await posted(log, draft("b", bytes: bytes))
        #expect(disk.exists("data/clarion.reserve"))
        try await end(log, with: filled.suffix(2) + more)
    }

    @Test(arguments: [300, 20_000, 300_000])
    func `a topic that is deleted on a full disk makes room`(bytes: Int) async throws {
        let log = try open()
        let kept = try await log.append([draft("kept", bytes: 10)])
        _ = try await fill(log, "a", bytes: bytes)
        try disk.fill("foreign")
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1_000)]) } != nil)
        #expect(try await log.deleteTopic(.of("a")))
        try await log.settle()
        let more = try await posted(log, draft("b", bytes: bytes))
        #expect(disk.exists("data/clarion.reserve"))
        try await end(log, with: kept + more)
    }

    @Test func `retention that was set before keeps a small disk from filling up`() async throws {
        var limits = SQLiteEventLog.Limits()
        limits.retention = Retention(bytes: 1_000_000)
        let log = try SQLiteEventLog(at: .directory(disk.path + "/data"), durability: .process, limits: limits)
        for _ in 0..<500 { _ = try await posted(log, draft("a", bytes: 50_000)) }
        try await log.settle()
        #expect(try #require(try await log.summary(of: .of("a"))).bytes <= 1_000_000)
        await log.close()
        #expect(try SQLiteEventLog.check(directory: disk.path + "/data").findings == [])
    }

    @Test func `what an observer did is recorded on a full disk, but none is added`() async throws {
        let log = try open()
        let observer = ObserverRecord(id: "w", topics: [.of("a")], createdAt: .now())
        _ = try await log.saveObserver(observer, expecting: nil)
        let events = try await fill(log, "a", bytes: 20_000)
        try disk.fill("foreign")
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1_000)]) } != nil)
        let due = try await log.due(of: "w", at: .latest, limit: 1_000)
        #expect(due.count == events.count)
        for delivery in due {
            try await log.recordOutcomes([
                DeliveryOutcome(
                    of: delivery,
                    state: .delivered,
                    attempt: DeliveryAttempt(number: 1, at: .now(), status: 200)
                )
            ])
        }
        #expect(try await log.deliveryStats(of: "w").delivered == events.count)
        let refusal = await code { () throws(EventLogError) in
            try await log.saveObserver(ObserverRecord(id: "x", topics: [], createdAt: .now()), expecting: nil)
        }
        #expect(refusal == .storageFull)
        // Opening a log takes some room, which a disk without a single block left has not.
        try disk.remove("foreign")
        try await end(log, with: events)
    }

    @Test(arguments: [Durability.disk, .process])
    func `outcomes of deliveries take no space that the write-ahead log needs to be moved`(
        durability: Durability
    ) async throws {
        let disk = try #require(try SmallFileSystem(megabytes: 24))
        let path = disk.path + "/data"
        let log = try SQLiteEventLog(at: .directory(path), durability: durability)
        let observers = (0..<20).map { number in
            ObserverRecord(id: ObserverID(rawValue: "w\(number)"), topics: [.of("a")], createdAt: .now())
        }
        for observer in observers { _ = try await log.saveObserver(observer, expecting: nil) }
        // Below what is moved by itself.
        for _ in 0..<10 { _ = try await log.append((0..<20).map { _ in draft("a", bytes: 40_000) }) }
        var due: [DeliveryRecord] = []
        for observer in observers { due += try await log.due(of: observer.id, at: .latest, limit: 50) }
        let attempt = DeliveryAttempt(number: 1, at: .now(), status: 500, response: Array(repeating: 7, count: 500))
        // Again and again, as those of endpoints that fail: each writes what the one before wrote.
        for _ in 0..<60 {
            for part in stride(from: 0, to: due.count, by: 200) {
                let outcomes = due[part..<min(part + 200, due.count)].map {
                    DeliveryOutcome(of: $0, state: .pending(notBefore: .now()), attempt: attempt)
                }
                _ = await code { () throws(EventLogError) in try await log.recordOutcomes(outcomes) }
            }
        }
        #expect(try await log.deleteTopic(.of("a")))
        let more = try await posted(log, draft("b", bytes: 10_000))
        await log.close()
        let again = try SQLiteEventLog(at: .directory(path), durability: durability)
        let page = try await again.read(after: .start, matching: [.of("**")], limit: 1_000, byteLimit: .max)
        #expect(page.events == more)
        await again.close()
    }

    @Test(arguments: [Durability.disk, .process])
    func `a probe fails while posts are refused, and has the log look for room by itself`(durability: Durability)
        async throws
    {
        let log = try open(durability)
        try await log.probe()
        let events = try await fill(log, "a", bytes: 20_000)
        try disk.fill("foreign")
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1)]) } != nil)
        for _ in 0..<3 {
            #expect(await code { () throws(EventLogError) in try await log.probe() } == .storageFull)
        }
        try disk.remove("foreign")
        let deadline = ContinuousClock.now + .seconds(20)
        while await code(of: { () throws(EventLogError) in try await log.probe() }) != nil {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(10))
        }
        let more = try await log.append([draft("a", bytes: 1)])
        try await end(log, with: events + more)
        #expect(await code { () throws(EventLogError) in try await log.probe() } == .closed)
    }

    @Test func `a log on a full disk is closed and opened without losing anything`() async throws {
        var log = try open()
        var events = try await fill(log, "a", bytes: 20_000)
        try disk.fill("foreign")
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1_000)]) } != nil)
        await log.close()
        log = try open()
        try await expect(events, in: log)
        #expect(await code { () throws(EventLogError) in try await log.append([draft("a", bytes: 1_000)]) } != nil)
        try disk.remove("foreign")
        events += try await posted(log, draft("a", bytes: 1_000))
        try await end(log, with: events)
    }

    @Test func `a log that cannot be made for want of room says so, and leaves nothing half made`() async throws {
        try disk.fill("foreign")
        #expect(
            await code { () throws(EventLogError) in try SQLiteEventLog(at: .directory(disk.path + "/data")) }
                == .storageFull
        )
        try disk.remove("foreign")
        let log = try open()
        try await end(log, with: try await log.append([draft("a", bytes: 10)]))
    }
}
