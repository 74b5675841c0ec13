import Testing

@testable import EventLog

@Suite struct DeliveryHistoryTests {
    private let clock = ManualClock()

    private func log(_ observers: ObserverID...) async throws -> SQLiteEventLog {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory, manual: clock)
        for id in observers { try await save(log, id) }
        return log
    }

    private func save(
        _ log: SQLiteEventLog,
        _ id: ObserverID,
        types: [String] = [],
        receives: Bool = true
    ) async throws {
        _ = try await log.saveObserver(
            ObserverRecord(
                id: id,
                topics: [.of("a")],
                types: types,
                receives: receives,
                createdAt: clock.now
            ),
            expecting: nil
        )
    }

    /// Posts events, and records how the first attempt of each went.
    private func settle(
        _ log: SQLiteEventLog,
        _ states: [DeliveryOutcome.State],
        of observer: ObserverID = "w"
    ) async throws -> [Event] {
        let events = try await log.append(states.map { _ in .of("a") })
        let pending = try await log.pendingDeliveries(of: observer, limit: 10_000)
        for (event, state) in zip(events, states) {
            guard let delivery = pending.first(where: { $0.event.id == event.id }) else { continue }
            try await log.recordOutcomes([outcome(delivery, 1, state)])
        }
        return events
    }

    private func outcome(
        _ delivery: DeliveryRecord,
        _ attempts: Int,
        _ state: DeliveryOutcome.State,
        failing: Int64 = 0
    ) -> DeliveryOutcome {
        let isDelivered = state == .delivered
        return DeliveryOutcome(
            of: delivery,
            state: state,
            attempt: DeliveryAttempt(
                number: attempts,
                at: clock.now,
                duration: 12,
                connected: attempts == 1 ? 300 : nil,
                secured: attempts == 1 ? 900 : nil,
                answered: 11_000,
                status: isDelivered ? 200 : 500,
                failure: isDelivered ? nil : "status",
                message: isDelivered ? nil : "the endpoint answered 500",
                response: Array("attempt \(attempts)".utf8)
            ),
            failing: failing
        )
    }

    private func rows(_ log: SQLiteEventLog) async throws -> Int64 {
        try await log.read { reader in
            try reader.db.cached("SELECT count(*) FROM attempt").first { $0.integer(0) } ?? -1
        }
    }

    @Test func `how each attempt went is kept`() async throws {
        let log = try await log("w")
        let event = try await log.append([.of("a", type: "t")])[0]
        let delivery = try await log.pendingDeliveries(of: "w", limit: 1)[0]
        let fresh = try #require(try await log.delivery(of: event.position, to: "w"))
        #expect(fresh.attempts.isEmpty && fresh.summary.state == .pending && fresh.summary.attemptedAt == nil)
        #expect(fresh.summary.createdAt == event.time && fresh.summary.type == "t" && fresh.summary.event == event.id)
        let start = clock.now
        try await log.recordOutcomes([outcome(delivery, 1, .pending(notBefore: start.advanced(byMilliseconds: 5_000)))])
        clock.now = start.advanced(byMilliseconds: 5_000)
        try await log.recordOutcomes([outcome(delivery, 2, .delivered)])
        let found = try #require(try await log.delivery(of: event.position, to: "w"))
        #expect(found.summary.state == .delivered && found.summary.attempts == 2 && found.summary.status == 200)
        #expect(found.summary.failure == nil && found.summary.attemptedAt == clock.now)
        #expect(
            found.attempts == [
                DeliveryAttempt(
                    number: 1,
                    at: start,
                    duration: 12,
                    connected: 300,
                    secured: 900,
                    answered: 11_000,
                    status: 500,
                    failure: "status",
                    message: "the endpoint answered 500",
                    response: Array("attempt 1".utf8)
                ),
                DeliveryAttempt(
                    number: 2,
                    at: clock.now,
                    duration: 12,
                    answered: 11_000,
                    status: 200,
                    failure: nil,
                    message: nil,
                    response: Array("attempt 2".utf8)
                ),
            ]
        )
        #expect(try await log.delivery(of: event.position, to: "nobody") == nil)
        #expect(try await log.delivery(of: Position(99), to: "w") == nil)
        await log.close()
    }

    @Test func `only the last 32 attempts are kept, in order`() async throws {
        let log = try await log("w", "v")
        let event = try await log.append([.of("a")])[0]
        let delivery = try await log.pendingDeliveries(of: "w", limit: 1)[0]
        for number in 1...75 {
            try await log.recordOutcomes([outcome(delivery, number, .pending(notBefore: clock.now))])
            let kept = try #require(try await log.delivery(of: event.position, to: "w")).attempts.map(\.number)
            #expect(kept == Array(max(1, number - 31)...number))
        }
        #expect(try await log.delivery(of: event.position, to: "v")?.attempts == [])
        await log.close()
    }

    @Test func `deliveries are listed newest first, page by page, by state`() async throws {
        let log = try await log("w", "v")
        let states: [DeliveryOutcome.State] = (0..<30).map { index in
            [.delivered, .dead, .pending(notBefore: clock.now)][index % 3]
        }
        let events = try await settle(log, states)
        func list(_ state: DeliveryState?, limit: Int) async throws -> [Int64] {
            var all: [Int64] = []
            var before = Position(.max)
            while true {
                let page = try await log.deliveries(of: "w", in: state, before: before, limit: limit)
                #expect(page.allSatisfy { state == nil || $0.state == state })
                all += page.map(\.event.position.rawValue)
                guard page.count == limit, let last = page.last else { return all }
                before = last.event.position
            }
        }
        let positions = events.map(\.position.rawValue)
        for limit in [1, 7, 10, 30, 100] {
            #expect(try await list(nil, limit: limit) == positions.reversed())
            for (offset, state) in [DeliveryState.delivered, .dead, .pending].enumerated() {
                let expected = positions.enumerated().filter { $0.offset % 3 == offset }.map(\.element)
                #expect(try await list(state, limit: limit) == expected.reversed())
            }
        }
        #expect(try await log.deliveries(of: "nobody", in: nil, before: Position(.max), limit: 10).isEmpty)
        await log.close()
    }

    @Test func `what is delivered anew is pending, counts from the beginning, and keeps its attempts`() async throws {
        let log = try await log("w", "v")
        let events = try await settle(log, [.delivered, .dead, .pending(notBefore: .latest)])
        _ = try await log.append([.of("b")])
        clock.now = clock.now.advanced(byMilliseconds: 1_000)
        let dead = try await log.deadLetters(of: "w", after: .start, through: log.tail, limit: 9)
        #expect(dead.map(\.event) == [events[1].position] && dead.map(\.topic) == [events[1].topic])
        let count = try await log.redeliver((1...9).map { Position($0) }, to: "w", at: clock.now)
        #expect(count == 4)
        let stats = try await log.deliveryStats(of: "w")
        #expect(stats.pending == 4 && stats.deadLetters == 0 && stats.delivered == 1 && stats.failed == 2)
        let due = try await log.due(of: "w", at: clock.now, limit: 9)
        #expect(due.map(\.event.position.rawValue) == [1, 2, 3, 4])
        #expect(due.allSatisfy { $0.attempts == 0 && $0.notBefore == clock.now })
        let foreign = try #require(try await log.delivery(of: Position(4), to: "w"))
        #expect(foreign.summary.createdAt == clock.now && foreign.summary.topic == .of("b"))
        try await log.recordOutcomes([outcome(due[1], 1, .delivered)])
        let attempts = try #require(try await log.delivery(of: events[1].position, to: "w")).attempts
        #expect(attempts.map(\.number) == [1, 1] && attempts.map(\.status) == [500, 200])
        #expect(try await log.deliveryStats(of: "v").pending == 3)
        await log.close()
    }

    @Test func `nothing is delivered anew to those that receive nothing, or of events that are gone`() async throws {
        let log = try await log("w")
        _ = try await log.append([.of("a"), .of("b")])
        #expect(try await log.deleteTopic(.of("b")))
        #expect(try await log.redeliver([Position(1), Position(2), Position(3)], to: "w", at: clock.now) == 1)
        try await save(log, "w", receives: false)
        #expect(try await log.redeliver([Position(1)], to: "w", at: clock.now) == nil)
        #expect(try await log.redeliver([Position(1)], to: "nobody", at: clock.now) == nil)
        await log.close()
    }

    @Test func `many are delivered anew in several steps`() async throws {
        let log = try await log("w")
        let events = try await log.append(Array(repeating: .of("a"), count: 1_300))
        try await save(log, "w", receives: false)
        #expect(try await log.abandonDeliveries(of: "w", failure: "gone", at: clock.now) == 1_300)
        try await save(log, "w")
        #expect(try await log.redeliver(events.map(\.position), to: "w", at: clock.now) == 1_300)
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(pending: 1_300))
        await log.close()
    }

    @Test func `one step of giving up looks at few events, whether they are wanted or not`() async throws {
        let log = try await log("w")
        try await save(log, "w", types: ["rare"])
        let common = Array(repeating: EventDraft.of("a", type: "common"), count: 10_000)
        _ = try await log.append([.of("a", type: "rare")] + common + common + [.of("a", type: "rare")])
        try await save(log, "w", types: ["rare"], receives: false)
        let (last, clock) = (log.tail.rawValue, clock)
        var steps: [Int] = []
        while true {
            let step = try await log.change { tables in
                try tables.deliveries.abandon(upTo: last, of: "w", failure: "gone", at: clock.now)
            }
            steps.append(step.count)
            if step.isAll { break }
        }
        #expect(steps.count >= 3 && steps.first == 1 && steps.last == 1 && steps.reduce(0, +) == 2)
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(deadLetters: 2))
        await log.close()
    }

    @Test func `attempts go with their deliveries, and dead letters are counted no longer`() async throws {
        let log = try await log("w", "v")
        _ = try await settle(log, [.delivered, .dead, .dead])
        _ = try await settle(log, [.delivered], of: "v")
        #expect(try await rows(log) == 4)
        #expect(try await log.deleteObserver("v", expecting: nil))
        // The rows go when the writer is idle.
        try await log.settle()
        #expect(try await rows(log) == 3)
        #expect(try await log.deleteTopic(.of("a")))
        #expect(try await log.deliveries(of: "w", in: nil, before: Position(.max), limit: 9).isEmpty)
        try await log.settle()
        #expect(try await rows(log) == 0)
        let stats = try await log.deliveryStats(of: "w")
        #expect(stats.deadLetters == 0 && stats.pending == 0 && stats.delivered == 1)
        await log.close()
    }

    @Test func `what arrived is removed after 7 days, dead letters after 30, what waits never`() async throws {
        let log = try await log("w")
        _ = try await settle(
            log,
            Array(repeating: .delivered, count: 5) + [.dead, .dead, .pending(notBefore: .latest)]
        )
        /// Within one turn of the writer, which would begin to remove them itself when the time has come: each time whether there may
        /// be more, and how many attempts are left.
        func purge(after milliseconds: Int64, times: Int = 1) async throws -> (mayHaveMore: [Bool], left: [Int64]) {
            try await log.change { [clock] tables in
                clock.now = clock.now.advanced(byMilliseconds: milliseconds)
                var result: (mayHaveMore: [Bool], left: [Int64]) = ([], [])
                for _ in 0..<times {
                    result.mayHaveMore.append(try tables.purgeHistory(3, at: clock.now))
                    result.left.append(try tables.db.number("SELECT count(*) FROM attempt"))
                }
                return result
            }
        }
        let day: Int64 = 86_400_000
        #expect(try await purge(after: 7 * day - 1) == ([false], [8]))
        #expect(try await purge(after: 1, times: 2) == ([true, false], [5, 3]))
        #expect(try await purge(after: 23 * day) == ([false], [1]))
        #expect(try await log.deliveryStats(of: "w").deadLetters == 0)
        #expect(try await log.deliveryStats(of: "w").pending == 1)
        #expect(try await purge(after: 900 * day) == ([false], [1]))
        await log.close()
    }

    @Test func `what arrived stays known for as long as an earlier event was never tried`() async throws {
        let log = try await log("w")
        let events = try await log.append([.of("a"), .of("a")])
        let due = try await log.due(of: "w", at: clock.now, limit: 10)
        try await log.recordOutcomes(due.suffix(1).map { outcome($0, 1, .delivered) })
        clock.now = clock.now.advanced(byMilliseconds: 900 * 86_400_000)
        func purge() async throws {
            _ = try await log.change { [clock] tables in try tables.purgeHistory(100, at: clock.now) }
        }
        try await purge()
        let left = try await log.due(of: "w", at: clock.now, limit: 10)
        #expect(left.map(\.event) == [events[0]], "the second does not arrive again")
        try await log.recordOutcomes(left.map { outcome($0, 1, .delivered) })
        try await purge()
        #expect(try await log.due(of: "w", at: clock.now, limit: 10).isEmpty)
        await log.close()
    }

    @Test func `it is known since when an observer fails without a success, and for how long`() async throws {
        let log = try await log("w", "v")
        let events = try await log.append(Array(repeating: .of("a"), count: 4))
        let ids = try await log.pendingDeliveries(of: "w", limit: 9)
        let other = try await log.pendingDeliveries(of: "v", limit: 9)
        let start = events[0].time
        var attempts: [DeliveryRecord: Int] = [:]
        func record(_ after: Int64, _ outcomes: (DeliveryRecord, DeliveryOutcome.State)...) async throws
            -> [ObserverID: Duration]
        {
            clock.now = start.advanced(byMilliseconds: after)
            for (delivery, _) in outcomes { attempts[delivery, default: 0] += 1 }
            return try await log.recordOutcomes(
                outcomes.map { outcome($0.0, attempts[$0.0] ?? 0, $0.1, failing: after) }
            )
        }
        let retry = DeliveryOutcome.State.pending(notBefore: start)
        #expect(try await record(10, (ids[0], retry), (other[0], .delivered)) == ["w": .milliseconds(10)])
        #expect(try await record(20, (ids[1], .dead)) == ["w": .milliseconds(30)])
        #expect(try await log.deliveryStats(of: "w").failingSince == start.advanced(byMilliseconds: 10))
        #expect(try await log.deliveryStats(of: "w").lastFailure == "status")
        #expect(try await record(30, (ids[0], retry), (ids[2], .delivered)) == [:])
        #expect(try await log.deliveryStats(of: "w").failingSince == nil)
        #expect(try await record(40, (ids[3], .delivered), (ids[0], retry)) == ["w": .milliseconds(40)])
        try await save(log, "w")
        #expect(try await log.deliveryStats(of: "w").failingSince == clock.now)
        #expect(try await record(50, (ids[0], retry)) == ["w": .milliseconds(90)])
        let observer = ObserverRecord(id: "w", topics: [.of("a")], createdAt: clock.now)
        _ = try await log.saveObserver(observer, expecting: nil, resettingFailures: true)
        #expect(try await log.deliveryStats(of: "w").failingSince == nil)
        #expect(try await record(50, (ids[0], retry)) == ["w": .milliseconds(50)])
        #expect(try await record(.max - start.milliseconds, (ids[0], retry))["w"] ?? .zero > .seconds(86_400 * 36_500))
        await log.close()
    }
}
