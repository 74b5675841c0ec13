import Synchronization
import Testing

@testable import EventLog

/// Deliveries have no row until they are old or something came of them, which nobody may notice.
@Suite struct DeferredDeliveriesTests {
    private static let observers = ["a", "b", "c"]
    private let clock = ManualClock()

    private func log(
        deferred: Int,
        at storage: SQLiteEventLog.Storage = .inMemory
    ) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        limits.deferredDeliveries = deferred
        return try SQLiteEventLog(at: storage, durability: .process, limits: limits, manual: clock)
    }

    private func deferred(_ log: SQLiteEventLog) async throws -> Int {
        try await log.change(needsDeliveries: false) { writer, _ in writer.memory.deferred.count }
    }

    private func save(
        _ log: SQLiteEventLog,
        _ id: String,
        topics: String = "**",
        receives: Bool = true
    ) async throws {
        _ = try await log.saveObserver(
            ObserverRecord(id: id, topics: [.of(topics)], receives: receives, createdAt: clock.now),
            expecting: nil
        )
    }

    @Test func `the oldest get their rows while posts come, and all when none does`() async throws {
        let log = try log(deferred: 100)
        for id in Self.observers { try await save(log, id) }
        for _ in 0..<50 { _ = try await log.append((0..<10).map { _ in .of("t") }) }
        // Without a pause there may be more of them, but not many more.
        #expect(try await deferred(log) <= 100 + 4 * 100 + 30)
        let deadline = ContinuousClock.now + .seconds(30)
        while try await deferred(log) > 0, ContinuousClock.now < deadline {
            // Longer than the writer waits for more posts.
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(try await deferred(log) == 0)
        for id in Self.observers {
            let pending = try await log.pendingDeliveries(of: id, limit: 1_000)
            #expect(pending.map(\.event.position.rawValue) == Array(1...500))
        }
        await log.close()
    }

    @Test func `a post of more deliveries than fit in memory leaves them to be worked out, and none is lost`()
        async throws
    {
        let directory = try TemporaryDirectory()
        let log = try log(deferred: 50, at: .directory(directory.path))
        let ids = (0..<40).map { "w\($0)" }
        for id in ids { try await save(log, id) }
        let told = Mutex<[Bool]>([])
        log.follow { commit in told.withLock { $0.append(commit.deliveries != nil) } }
        _ = try await log.append((0..<1_000).map { _ in .of("t") })
        #expect(told.withLock { $0 } == [false])
        // The deliveries of one event may be too many, but not those of two.
        #expect(try await deferred(log) <= 4 * 50 + 40)
        let copy = try TemporaryDirectory()
        try directory.copyLog(to: copy)
        // Others are written between, and what comes after is behind what was before.
        _ = try await log.append([.of("u")])
        let all = Array(Int64(1)...1_001)
        #expect(try await log.deliveryStats(of: "w3").pending == 1_001)
        for id in ids {
            let pending = try await log.pendingDeliveries(of: id, limit: 2_000)
            #expect(pending.map(\.event.position.rawValue) == all)
            #expect(pending.map(\.id) == pending.map(\.id).sorted())
        }
        try await save(log, "late")
        #expect(try await log.deliveryStats(of: "late").pending == 0)
        await log.close()
        let crashed = try self.log(deferred: 50, at: .directory(copy.path))
        #expect(try await deferred(crashed) <= 4 * 50 + 40)
        for id in ids {
            let pending = try await crashed.pendingDeliveries(of: id, limit: 2_000)
            #expect(pending.map(\.event.position.rawValue) == all.dropLast())
        }
        await crashed.close()
        for place in [directory, copy] {
            #expect(try SQLiteEventLog.check(directory: place.path).findings == [])
        }
    }

    @Test func `what is left to be worked out is written between posts, when nobody asks for it`() async throws {
        let log = try log(deferred: 10)
        for id in Self.observers { try await save(log, id) }
        _ = try await log.append((0..<2_000).map { _ in .of("t") })
        let deadline = ContinuousClock.now + .seconds(30)
        while log.deferrals.firstEvent != nil, ContinuousClock.now < deadline {
            try await Task.sleep(for: .milliseconds(10))
        }
        #expect(log.deferrals.firstEvent == nil)
        for id in Self.observers { #expect(try await log.deliveryStats(of: id).pending == 2_000) }
        await log.close()
    }

    /// Against the obvious: the ids without a row, as a set, and copies of it to go back to.
    @Test(arguments: 0..<20) func `what a transaction did is undone if it fails`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var deferred = DeferredDeliveries()
        var (ids, last) = (Set<Int64>(), Int64(0))
        for _ in 0..<300 {
            let before = ids
            var savepoint: (mark: DeferredDeliveries.Mark, ids: Set<Int64>)?
            for _ in 0..<Int.random(in: 0..<12, using: &random) {
                switch Int.random(in: 0..<9, using: &random) {
                case 0, 1, 2:
                    last += .random(in: 1...2, using: &random)
                    deferred.add(id: last, observer: last % 9, event: last / 2, notBefore: last)
                    ids.insert(last)
                case 3, 4:
                    let id = Int64.random(in: max(0, last - 20)...last + 1, using: &random)
                    #expect(deferred.take(id)?.id == ids.remove(id))
                case 5:
                    let first = deferred.takeFirst()?.id
                    #expect(first == ids.min())
                    if let first { ids.remove(first) }
                case 6: savepoint = (deferred.mark, ids)
                case 7:
                    let observer = Int64.random(in: 0..<9, using: &random)
                    #expect(deferred.takeAll(of: observer).map(\.id) == ids.filter { $0 % 9 == observer }.sorted())
                    ids = ids.filter { $0 % 9 != observer }
                default:
                    guard let back = savepoint else { continue }
                    deferred.rollBack(to: back.mark)
                    ids = back.ids
                }
                #expect(deferred.count == ids.count)
                #expect(deferred.firstEvent == ids.min().map { $0 / 2 })
                let event = Int64.random(in: max(0, last / 2 - 10)...last / 2 + 1, using: &random)
                #expect(deferred.contains(event: event) == ids.contains { $0 / 2 == event })
                #expect(deferred.isWaiting(since: event) == (ids.min().map { $0 <= event } ?? false))
            }
            if Bool.random(using: &random) {
                deferred.commit()
            } else {
                deferred.rollBack()
                ids = before
            }
            #expect(deferred.count == ids.count)
            #expect(deferred.firstEvent == ids.min().map { $0 / 2 })
        }
    }

    @Test func `what came of a delivery is its first row`() async throws {
        let log = try log(deferred: 1_000)
        try await save(log, "a")
        let told = Mutex<[CommittedDelivery]>([])
        log.follow { commit in told.withLock { $0 += commit.deliveries ?? [] } }
        _ = try await log.append([.of("t"), .of("t"), .of("t")])
        let ids = told.withLock { $0.map(\.id) }
        let later = clock.now.advanced(byMilliseconds: 1_000)
        let before = try await deferred(log)
        try await log.recordOutcomes([
            DeliveryOutcome(delivery: ids[0], state: .delivered, attempt: DeliveryAttempt(number: 1, at: clock.now)),
            DeliveryOutcome(
                delivery: ids[1],
                state: .pending(notBefore: later),
                attempt: DeliveryAttempt(number: 1, at: clock.now, failure: "status")
            ),
        ])
        // None, if the writer had nothing to do for a moment.
        #expect([[3, 1], [0, 0]].contains([before, try await deferred(log)]))
        #expect(try await log.nextDelivery(of: "a") == clock.now)
        #expect(try await log.dueDeliveries(of: "a", at: later, limit: 9).map(\.id) == [ids[2], ids[1]])
        #expect(try await log.dueDeliveries(of: "a", at: later, limit: 1).map(\.id) == [ids[2]])
        #expect(try await log.deliveryStats(of: "a").pending == 2)
        await log.close()
    }

    @Test func `an event for more observers than are kept in memory reaches all after a crash`() async throws {
        let (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let log = try log(deferred: 2, at: .directory(directory.path))
        let ids = (0..<50).map { "w\($0)" }
        for id in ids { try await save(log, id) }
        _ = try await log.append([.of("t")])
        try directory.copyLog(to: copy)
        let crashed = try self.log(deferred: 2, at: .directory(copy.path))
        for id in ids { #expect(try await crashed.pendingDeliveries(of: id, limit: 9).count == 1) }
        await log.close()
        await crashed.close()
    }

    @Test(arguments: 0..<3) func `whether they have rows or not, all reads are the same, also after a crash`(seed: Int)
        async throws
    {
        var random = SplitMix(seed: UInt64(seed))
        let directories = [try TemporaryDirectory(), try TemporaryDirectory(), try TemporaryDirectory()]
        // Of the first log all have rows at once.
        let subjects = try zip([0, 7, 100_000], directories).map { limit, directory in
            Subject(try log(deferred: limit, at: .directory(directory.path)))
        }
        for step in 0..<60 {
            let id = Self.observers.randomElement(using: &random) ?? "a"
            let pick = Int.random(in: 0..<20, using: &random)
            let number = Int.random(in: 1...9, using: &random)
            let choice = random.next()
            clock.now = clock.now.advanced(byMilliseconds: Int64(pick))
            for subject in subjects { try await change(subject, pick, id, number, choice) }
            // What is read has rows from then on, so not every time.
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let limit = Int.random(in: 1...12, using: &random)
            var seen: [String] = []
            for (subject, directory) in zip(subjects, directories) {
                let copy = try TemporaryDirectory()
                try directory.copyLog(to: copy)
                seen.append(try await look(subject.log, limit: limit))
                let crashed = try log(deferred: 3, at: .directory(copy.path))
                seen.append(try await look(crashed, limit: limit))
                await crashed.close()
                #expect(try SQLiteEventLog.check(directory: copy.path).findings == [])
            }
            #expect(Set(seen).count == 1, "step \(step) of seed \(seed): \(seen.joined(separator: "\n"))")
            if Set(seen).count > 1 { break }
        }
        for subject in subjects { await subject.log.close() }
    }

    /// What fails is tried again, with the next row failing, until none does.
    @Test(arguments: 0..<3) func `a log whose rows fail differs in nothing from one whose rows do not`(seed: Int)
        async throws
    {
        var random = SplitMix(seed: UInt64(seed))
        let directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        let subjects = try directories.map { Subject(try log(deferred: 7, at: .directory($0.path))) }
        let rows = try await FailingRows(subjects[1].log)
        var failures = 0
        for step in 0..<60 {
            let id = Self.observers.randomElement(using: &random) ?? "a"
            let pick = Int.random(in: 0..<20, using: &random)
            let number = Int.random(in: 1...9, using: &random)
            let choice = random.next()
            clock.now = clock.now.advanced(byMilliseconds: Int64(pick))
            try await change(subjects[0], pick, id, number, choice)
            let reach = FailingRows.Reach.allCases.randomElement(using: &random) ?? .statement
            var before: String?
            for row in 1...1_000 {
                // What is looked at has rows from then on, so not every time.
                if before == nil, choice.isMultiple(of: 4) { before = try await look(subjects[1].log, limit: 99) }
                rows.arm(row, reach)
                let isDone: Bool
                do {
                    try await change(subjects[1], pick, id, number, choice)
                    isDone = true
                } catch {
                    isDone = false
                }
                let hasFailed = rows.disarm()
                if isDone { break }
                #expect(hasFailed)
                failures += 1
                // Two steps, of which the first may stand.
                guard let before, pick != 2 else { continue }
                #expect(try await look(subjects[1].log, limit: 99) == before, "step \(step) of seed \(seed)")
            }
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            var seen: [String] = []
            for (subject, directory) in zip(subjects, directories) {
                seen.append(try await look(subject.log, limit: 99))
                let copy = try TemporaryDirectory()
                try directory.copyLog(to: copy)
                let crashed = try log(deferred: 3, at: .directory(copy.path))
                seen.append(try await look(crashed, limit: 99))
                await crashed.close()
                #expect(try SQLiteEventLog.check(directory: copy.path).findings == [])
            }
            #expect(Set(seen).count == 1, "step \(step) of seed \(seed): \(seen.joined(separator: "\n"))")
            if Set(seen).count > 1 { break }
        }
        #expect(failures > 60)
        for subject in subjects { await subject.log.close() }
    }

    /// A log, and what it told of deliveries that nothing came of yet.
    private final class Subject: Sendable {
        let log: SQLiteEventLog
        let told = Mutex<[CommittedDelivery]>([])

        init(_ log: SQLiteEventLog) {
            self.log = log
            log.follow { [weak self] commit in self?.told.withLock { $0 += commit.deliveries ?? [] } }
        }
    }

    private func change(_ subject: Subject, _ pick: Int, _ id: String, _ number: Int, _ choice: UInt64) async throws {
        let log = subject.log
        switch pick {
        case 0: try await save(log, id, topics: number < 5 ? "**" : "t\(number)")
        case 1: _ = try await log.deleteObserver(id, expecting: nil)
        case 2:
            try await save(log, id, receives: false)
            _ = try await log.abandonDeliveries(of: id, failure: "gone", at: clock.now)
        case 3: _ = try await log.redeliver((1...Int64(number)).map { Position($0) }, to: id, at: clock.now)
        case 4: _ = try await log.deleteTopic(.of("t\(number)"))
        case 5..<12: _ = try await log.append((0..<number).map { .of("t\($0)") })
        default:
            var random = SplitMix(seed: choice)
            let some = subject.told.withLock { $0 }.filter { _ in Bool.random(using: &random) }
            try await log.recordOutcomes(
                some.map { delivery in
                    DeliveryOutcome(
                        delivery: delivery.id,
                        state: outcome(&random),
                        attempt: DeliveryAttempt(number: 1, at: clock.now)
                    )
                }
            )
            subject.told.withLock { told in told.removeAll { one in some.contains { $0.id == one.id } } }
        }
    }

    private func outcome(_ random: inout SplitMix) -> DeliveryOutcome.State {
        switch Int.random(in: 0..<3, using: &random) {
        case 0: .delivered
        case 1: .dead
        default: .pending(notBefore: clock.now.advanced(byMilliseconds: .random(in: 0...40, using: &random)))
        }
    }

    /// All that can be read of deliveries, as text.
    private func look(_ log: SQLiteEventLog, limit: Int) async throws -> String {
        // Until the rows of deleted topics are gone.
        try await log.settle()
        var text = ""
        for id in Self.observers {
            let due = try await log.dueDeliveries(of: id, at: clock.now, limit: limit)
            let pending = try await log.pendingDeliveries(of: id, limit: limit)
            let next = try await log.nextDelivery(of: id)
            text += "\(id): due \(due.map(\.event.position.rawValue)), next \(next?.milliseconds ?? -1), "
            text += "pending \(pending.map { "\($0.event.position.rawValue) from \($0.notBefore.milliseconds)" }), "
            text += "\(try await log.deliveryStats(of: id)), "
            for state in [nil, DeliveryState.pending, .delivered, .dead] {
                let page = try await log.deliveries(of: id, in: state, before: Position(40), limit: limit)
                text += "\(page.map { "\($0.event.position.rawValue)\($0.state)" }), "
            }
            let dead = try await log.deadLetters(of: id, after: .start, through: log.tail, limit: limit)
            text += "dead \(dead.map(\.rawValue))\n"
        }
        return text
    }
}
