import Testing

@testable import EventLog

/// Deliveries are in no index by observer until they are old, which nobody may notice.
@Suite struct RecentDeliveriesTests {
    private static let observers = ["a", "b", "c"]
    private let clock = ManualClock()

    private func log(recent: Int) throws -> SQLiteEventLog {
        var limits = SQLiteEventLog.Limits()
        limits.recentDeliveries = recent
        return try SQLiteEventLog(at: .inMemory, durability: .memory, limits: limits) { [clock] in clock.now }
    }

    private func recent(_ log: SQLiteEventLog) async throws -> Int {
        try await log.read { db in
            try PreparedStatement(cachedIn: db, "SELECT count(*) FROM delivery WHERE recent = 1").first {
                Int($0.integer(0))
            } ?? -1
        }
    }

    private func save(_ log: SQLiteEventLog, _ id: String) async throws {
        _ = try await log.saveObserver(
            ObserverRecord(id: id, topics: [.of("**")], receives: true, createdAt: clock.now),
            expecting: nil
        )
    }

    @Test func `only the newest are looked through, however many wait`() async throws {
        let log = try log(recent: 100)
        for id in Self.observers { try await save(log, id) }
        for _ in 0..<50 { _ = try await log.append((0..<10).map { _ in .of("t") }) }
        // Without a pause there may be more of them, but not many more.
        #expect(try await recent(log) <= 100 + 4 * 100 + 30)
        let deadline = ContinuousClock.now + .seconds(30)
        while try await recent(log) > 200, ContinuousClock.now < deadline { await Task.yield() }
        #expect(try await recent(log) <= 200)
        for id in Self.observers {
            let pending = try await log.pendingDeliveries(of: id, limit: 1_000)
            #expect(pending.map(\.event.position.rawValue) == Array(1...500))
        }
        await log.close()
    }

    @Test func `one that was attempted is in the indexes`() async throws {
        let log = try log(recent: 1_000)
        try await save(log, "a")
        _ = try await log.append([.of("t"), .of("t"), .of("t")])
        #expect(try await recent(log) == 3)
        let rows = try await log.pendingDeliveries(of: "a", limit: 3)
        let later = clock.now.advanced(byMilliseconds: 1_000)
        try await log.recordOutcomes([
            DeliveryOutcome(
                delivery: rows[0].id,
                state: .delivered,
                attempt: DeliveryAttempt(number: 1, at: clock.now)
            ),
            DeliveryOutcome(
                delivery: rows[1].id,
                state: .pending(notBefore: later),
                attempt: DeliveryAttempt(number: 1, at: clock.now, failure: "status")
            ),
        ])
        #expect(try await recent(log) == 1)
        #expect(try await log.nextDelivery(of: "a") == clock.now)
        #expect(try await log.dueDeliveries(of: "a", at: later, limit: 9).map(\.id) == [rows[2].id, rows[1].id])
        #expect(try await log.dueDeliveries(of: "a", at: later, limit: 1).map(\.id) == [rows[2].id])
        await log.close()
    }

    @Test(arguments: 0..<6) func `whether they are in the indexes or not, all reads are the same`(seed: Int)
        async throws
    {
        var random = SplitMix(seed: UInt64(seed))
        // Of one log all are in the indexes at once, of the other none is unless it was attempted.
        let logs = [try log(recent: 0), try log(recent: 7), try log(recent: 100_000)]
        for step in 0..<60 {
            let id = Self.observers.randomElement(using: &random) ?? "a"
            let pick = Int.random(in: 0..<20, using: &random)
            let number = Int.random(in: 1...9, using: &random)
            let limit = Int.random(in: 1...12, using: &random)
            let choice = random.next()
            clock.now = clock.now.advanced(byMilliseconds: Int64(pick))
            var seen: [String] = []
            for log in logs {
                try await change(log, pick, id, number, choice)
                seen.append(try await look(log, limit: limit))
            }
            #expect(Set(seen).count == 1, "step \(step) of seed \(seed): \(seen.joined(separator: "\n"))")
            if Set(seen).count > 1 { break }
        }
        for log in logs { await log.close() }
    }

    private func change(_ log: SQLiteEventLog, _ pick: Int, _ id: String, _ number: Int, _ choice: UInt64) async throws
    {
        switch pick {
        case 0, 1: try await save(log, id)
        case 2: _ = try await log.deleteObserver(id, expecting: nil)
        case 3: _ = try await log.abandonDeliveries(of: id, failure: "gone", at: clock.now)
        case 4: _ = try await log.redeliver((1...Int64(number)).map { Position($0) }, to: id, at: clock.now)
        case 5..<11: _ = try await log.append((0..<number).map { .of("t\($0)") })
        default:
            var random = SplitMix(seed: choice)
            let rows = try await log.pendingDeliveries(of: id, limit: 30)
            let outcomes = rows.filter { _ in Bool.random(using: &random) }.map { row in
                let state: DeliveryOutcome.State =
                    switch Int.random(in: 0..<3, using: &random) {
                    case 0: .delivered
                    case 1: .dead
                    default:
                        .pending(notBefore: clock.now.advanced(byMilliseconds: .random(in: 0...40, using: &random)))
                    }
                return DeliveryOutcome(
                    delivery: row.id,
                    renewals: row.renewals,
                    state: state,
                    attempt: DeliveryAttempt(number: row.attempts + 1, at: clock.now)
                )
            }
            try await log.recordOutcomes(outcomes)
        }
    }

    /// All that can be read of deliveries, as text.
    private func look(_ log: SQLiteEventLog, limit: Int) async throws -> String {
        var text = ""
        for id in Self.observers {
            let due = try await log.dueDeliveries(of: id, at: clock.now, limit: limit)
            let pending = try await log.pendingDeliveries(of: id, limit: limit)
            let next = try await log.nextDelivery(of: id)
            text += "\(id): due \(due.map(\.id)), pending \(pending.map(\.id)), next \(next?.milliseconds ?? -1), "
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
