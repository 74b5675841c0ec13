import Testing

@testable import EventLog

/// What the log keeps for a while is kept for that while, whatever becomes of the clock of the day.
@Suite struct LogTimeTests {
    private static let hour: Int64 = 3_600_000
    private static let steps = [-6 * 24 * hour, -hour, -1_000, 1_000, hour, 6 * 24 * hour]

    private let clock = ManualClock()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func log() throws -> SQLiteEventLog {
        try SQLiteEventLog(at: .directory(directory.path), durability: .process, manual: clock)
    }

    private func save(_ log: SQLiteEventLog) async throws {
        let record = ObserverRecord(id: "w", topics: [.of("a")], receives: true, createdAt: clock.now)
        _ = try await log.saveObserver(record, expecting: nil)
    }

    private func due(_ log: SQLiteEventLog) async throws -> Int {
        try await log.due(of: "w", at: log.now, limit: 9).count
    }

    /// One delivery that has failed, and is due again in ten minutes.
    private func fail(_ log: SQLiteEventLog) async throws {
        try await save(log)
        try await log.append([.of("a")])
        let delivery = try await log.pendingDeliveries(of: "w", limit: 1)[0]
        let retry = DeliveryOutcome.State.pending(notBefore: log.now.advanced(byMilliseconds: 600_000))
        let attempt = DeliveryAttempt(number: 1, at: clock.now, failure: "status")
        try await log.recordOutcomes([DeliveryOutcome(of: delivery, state: retry, attempt: attempt)])
    }

    @Test(arguments: steps) func `a retry waits as long as it is to, and no longer`(step: Int64) async throws {
        let log = try log()
        try await fail(log)
        clock.step(byMilliseconds: step)
        let shown = try await log.deliveries(of: "w", in: .pending, before: Position(.max), limit: 1)[0].notBefore
        #expect(shown == clock.now.advanced(byMilliseconds: 600_000), "as the clock will show it")
        clock.now = clock.now.advanced(byMilliseconds: 599_999)
        #expect(try await due(log) == 0)
        clock.now = clock.now.advanced(byMilliseconds: 1)
        #expect(try await due(log) == 1)
        await log.close()
    }

    @Test(arguments: steps) func `also if the log is opened again after the step`(step: Int64) async throws {
        var log = try log()
        try await fail(log)
        clock.step(byMilliseconds: step)
        await log.close()
        clock.now = clock.now.advanced(byMilliseconds: 60_000)
        log = try self.log()
        clock.now = clock.now.advanced(byMilliseconds: 539_999)
        #expect(try await due(log) == 0)
        clock.now = clock.now.advanced(byMilliseconds: 1)
        #expect(try await due(log) == 1)
        await log.close()
    }

    @Test(arguments: steps.filter { $0 < 0 })
    func `a clock that is set back while the log is closed puts nothing off by more than that`(step: Int64) async throws
    {
        var log = try log()
        try await fail(log)
        await log.close()
        clock.step(byMilliseconds: step)
        log = try self.log()
        clock.now = clock.now.advanced(byMilliseconds: 599_999)
        #expect(try await due(log) == 0)
        clock.now = clock.now.advanced(byMilliseconds: 1)
        #expect(try await due(log) == 1)
        await log.close()
    }

    @Test(arguments: steps, [false, true])
    func `what was never tried is due, whenever it was posted`(step: Int64, isOpenedAgain: Bool) async throws {
        var log = try log()
        try await save(log)
        try await log.append([.of("a")])
        if isOpenedAgain { await log.close() }
        clock.step(byMilliseconds: step)
        if isOpenedAgain { log = try self.log() }
        #expect(try await due(log) == 1)
        #expect(try await log.due(of: "w", at: log.now, limit: 9).allSatisfy { $0.notBefore <= log.now })
        await log.close()
    }

    @Test func `times do not go back by less than a minute, however long ago the last event was`() async throws {
        let log = try log()
        let first = try await log.append([.of("a")])[0]
        clock.now = clock.now.advanced(byMilliseconds: 5_000)
        // A transaction without an event.
        try await log.probe()
        clock.step(byMilliseconds: -62_000)
        #expect(try await log.append([.of("a")])[0].time == first.time)
        clock.step(byMilliseconds: -5_000)
        #expect(try await log.append([.of("a")])[0].time == clock.now, "by more than a minute they do")
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test func `the time of an event that was not stored is forgotten`() async throws {
        let log = try log()
        let first = try await log.append([.of("a")])[0]
        clock.now = clock.now.advanced(byMilliseconds: 5_000)
        let failing = try await FailingRows(log)
        try await log.settle()
        failing.arm(5, .transaction)
        let refused = await code { () throws(EventLogError) in
            try await log.append((0..<9).map { _ in .of("a") })
        }
        #expect(refused != nil)
        let hasFailed = failing.disarm()
        #expect(hasFailed)
        clock.step(byMilliseconds: -62_000)
        #expect(try await log.append([.of("a")])[0].time == first.time)
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    @Test(arguments: steps, [false, true])
    func `a key is known for a day`(step: Int64, isOpenedAgain: Bool) async throws {
        var draft = EventDraft.of("a")
        draft.idempotencyKey = IdempotencyKey("k", fingerprint: [1])
        var log = try log()
        let first = try await log.append([draft])
        clock.step(byMilliseconds: step)
        if isOpenedAgain {
            await log.close()
            log = try self.log()
        }
        clock.now = clock.now.advanced(byMilliseconds: IdempotencyKey.lifetime - 1)
        #expect(try await log.append([draft]) == first)
        clock.now = clock.now.advanced(byMilliseconds: 1)
        #expect(try await log.append([draft]) != first)
        await log.close()
    }
}
