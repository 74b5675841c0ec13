import Testing

@testable import EventLog

/// What is promised of deliveries.
@Suite("Conformance: deliveries") struct DeliveryTests {
    @Test(arguments: LogKind.all)
    func `each observer gets each event that it wants, once`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "all", ["**", "*", "a", "a.*", "a.**"])
        try await save(log, "typed", ["**"], types: ["t", "u"])
        try await save(log, "paused", ["**"], receives: false)
        try await save(log, "other", ["b.*"])
        let events = try await log.append([.of("a"), .of("a.b", type: "t"), .of("b.c", type: "v"), .of("a", type: "u")])
        func pending(_ id: ObserverID) async throws -> [Int64] {
            try await log.pendingDeliveries(of: id, limit: 10).map(\.event.position.rawValue)
        }
        #expect(try await pending("all") == [1, 2, 3, 4])
        #expect(try await pending("typed") == [2, 4])
        #expect(try await pending("paused") == [])
        #expect(try await pending("other") == [3])
        #expect(try await pending("nobody") == [])
        let first = try #require(try await log.due(of: "all", at: events[0].time, limit: 1).first)
        #expect(first.event == events[0] && first.attempts == 0 && first.observer == "all")
        #expect(first.notBefore == events[0].time)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `what is due ends at a bound on bytes, says that there is more, and loses none in between`(kind: LogKind)
        async throws
    {
        let clock = ManualClock()
        let (start, later) = (clock.now, clock.now.advanced(byMilliseconds: 5_000))
        let log = try kind.make(clock: clock).log
        try await save(log, "w", ["a"])
        let draft = EventDraft(topic: .of("a"), data: Array(repeating: 0, count: 744))
        #expect(try await log.append(Array(repeating: draft, count: 8)).first?.cost == 1_000)
        // Every second one has failed once.
        try await log.recordOutcomes(
            try await log.due(of: "w", at: start, limit: 10).filter { $0.event.position.rawValue % 2 == 0 }.map {
                let attempt = DeliveryAttempt(number: 1, at: start, failure: "timeout")
                return DeliveryOutcome(of: $0, state: .pending(notBefore: later), attempt: attempt)
            }
        )
        func due(_ byteLimit: Int, inOrder: Bool, at now: Timestamp) async throws -> ([Int64], next: Timestamp?) {
            let due = try await log.dueDeliveries(of: "w", at: now, inOrder: inOrder, limit: 10, byteLimit: byteLimit)
            return (due.deliveries.map(\.event.position.rawValue), due.next)
        }
        for (bytes, count) in [(1, 1), (1_000, 1), (1_001, 2), (5_000, 5), (8_000, 8), (8_001, 8)] {
            #expect(
                try await due(bytes, inOrder: true, at: start) == (Array(1...Int64(count)), bytes > 8_000 ? nil : start)
            )
            let all: [Int64] = [2, 4, 6, 8, 1, 3, 5, 7]
            #expect(
                try await due(bytes, inOrder: false, at: later) == (
                    Array(all.prefix(count)), bytes > 8_000 ? nil : later
                )
            )
        }
        #expect(try await due(2_000, inOrder: false, at: start) == ([1, 3], start))
        #expect(try await due(4_001, inOrder: false, at: start) == ([1, 3, 5, 7], later))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `replacing an observer counts from the next event, and keeps what is pending`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a"])
        _ = try await log.append([.of("a"), .of("b")])
        try await save(log, "w", ["b"])
        _ = try await log.append([.of("a"), .of("b")])
        try await save(log, "w", ["b"], receives: false)
        _ = try await log.append([.of("a"), .of("b")])
        #expect(try await log.pendingDeliveries(of: "w", limit: 10).map(\.event.position.rawValue) == [1, 4])
        #expect(try await log.deliveryStats(of: "w").pending == 2)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `outcomes move deliveries on, and the counters with them`(kind: LogKind) async throws {
        let clock = ManualClock()
        let start = clock.now
        let log = try kind.make(clock: clock).log
        try await save(log, "w", ["a"])
        _ = try await log.append(Array(repeating: .of("a"), count: 4))
        let due = try await log.due(of: "w", at: start, limit: 10)
        #expect(due.count == 4)
        let later = start.advanced(byMilliseconds: 5_000)
        try await log.recordOutcomes([
            DeliveryOutcome(
                of: due[0],
                state: .delivered,
                attempt: DeliveryAttempt(number: 1, at: start, status: 200)
            ),
            DeliveryOutcome(
                of: due[1],
                state: .pending(notBefore: later),
                attempt: DeliveryAttempt(number: 1, at: start, failure: "timeout")
            ),
            DeliveryOutcome(
                of: due[2],
                state: .dead,
                attempt: DeliveryAttempt(number: 9, at: start, status: 500, failure: "status")
            ),
        ])
        var stats = try await log.deliveryStats(of: "w")
        #expect(
            stats
                == DeliveryStats(
                    delivered: 1,
                    failed: 2,
                    pending: 2,
                    deadLetters: 1,
                    lastStatus: 500,
                    lastFailure: "status",
                    lastAttemptAt: start,
                    failingSince: start
                )
        )
        #expect(try await log.due(of: "w", at: start, limit: 10).map(\.event) == [due[3].event])
        #expect(try await log.dueDeliveries(of: "w", at: start, limit: 10).next == later)
        #expect(try await log.dueDeliveries(of: "w", at: later, limit: 10).next == nil)
        // What is to be tried again comes first.
        #expect(try await log.due(of: "w", at: later, limit: 10).map(\.event) == [due[1], due[3]].map(\.event))
        #expect(try await log.pendingDeliveries(of: "w", limit: 10).map(\.event) == [due[1], due[3]].map(\.event))
        let retry = try #require(try await log.pendingDeliveries(of: "w", limit: 1).first)
        #expect(retry.attempts == 1 && retry.notBefore == later && retry.event == due[1].event)

        try await log.recordOutcomes([
            DeliveryOutcome(
                of: due[1],
                state: .delivered,
                attempt: DeliveryAttempt(number: 2, at: later, status: 204)
            ),
            DeliveryOutcome(
                of: due[3],
                state: .delivered,
                attempt: DeliveryAttempt(number: 1, at: later, status: 204)
            ),
        ])
        stats = try await log.deliveryStats(of: "w")
        #expect(
            stats
                == DeliveryStats(
                    delivered: 3,
                    failed: 2,
                    pending: 0,
                    deadLetters: 1,
                    lastStatus: 204,
                    lastAttemptAt: later
                )
        )
        #expect(try await log.dueDeliveries(of: "w", at: .latest, limit: 1) == DueDeliveries(deliveries: [], next: nil))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `outcomes of deliveries that are gone or settled change nothing`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a"])
        try await save(log, "gone", ["a"])
        _ = try await log.append([.of("a")])
        let settled = try await log.pendingDeliveries(of: "w", limit: 1)[0]
        let gone = try await log.pendingDeliveries(of: "gone", limit: 1)[0]
        let outcome = DeliveryOutcome(
            of: settled,
            state: .delivered,
            attempt: DeliveryAttempt(number: 1, at: .now(), status: 200)
        )
        try await log.recordOutcomes([outcome])
        let stats = try await log.deliveryStats(of: "w")
        _ = try await log.deleteObserver("gone", expecting: nil)
        try await save(log, "gone", ["a"])
        _ = try await log.append([.of("b")])
        try await log.recordOutcomes(
            [("w", settled.event.position), ("gone", gone.event.position), ("w", Position(12_345))]
                .map { observer, event in
                    DeliveryOutcome(
                        observer: observer,
                        event: event,
                        state: .dead,
                        attempt: DeliveryAttempt(number: 2, at: .now())
                    )
                }
        )
        #expect(try await log.deliveryStats(of: "w") == stats)
        #expect(try await log.deliveryStats(of: "gone") == DeliveryStats())
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `a late outcome does not hit a newer delivery`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a"])
        _ = try await log.append([.of("a")])
        let old = try await log.pendingDeliveries(of: "w", limit: 1)[0]
        _ = try await log.deleteObserver("w", expecting: nil)
        try await save(log, "w", ["a"])
        _ = try await log.append([.of("a")])
        try await log.recordOutcomes([
            DeliveryOutcome(of: old, state: .dead, attempt: DeliveryAttempt(number: 1, at: .now()))
        ])
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(pending: 1))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `what is delivered again goes to the observer that is meant, and to no other by its id`(
        kind: LogKind
    ) async throws {
        let log = try kind.make().log
        let first = try await log.append([.of("a")])[0]
        func register(at time: Int64) async throws -> Timestamp {
            let time = Timestamp(milliseconds: time)
            _ = try await log.saveObserver(ObserverRecord(id: "w", topics: [.of("b")], createdAt: time), expecting: nil)
            return time
        }
        let former = try await register(at: 1)
        #expect(try await log.redeliver([first.position], to: "w", createdAt: former, at: .now()) == 1)
        _ = try await log.deleteObserver("w", expecting: nil)
        let present = try await register(at: 2)
        #expect(try await log.redeliver([first.position], to: "w", createdAt: former, at: .now()) == nil)
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats())
        #expect(try await log.redeliver([first.position], to: "w", createdAt: present, at: .now()) == 1)
        await log.close()
    }

    @Test(arguments: LogKind.all, [Int64.min, -1, 0, .max - 1, .max])
    func `positions at the ends of their range are positions`(kind: LogKind, position: Int64) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a", "b.*"])
        _ = try await log.append([.of("a")])
        let place = Position(position)
        #expect(try await log.delivery(of: place, to: "w") == nil)
        #expect(try await log.redeliver([place], to: "w", at: .now()) == 0)
        let listed = try await log.deliveries(of: "w", in: nil, before: place, limit: 9)
        #expect(listed.count == (position > 1 ? 1 : 0))
        #expect(try await log.deadLetters(of: "w", after: place, through: place, limit: 9).isEmpty)
        let outcome = DeliveryOutcome(
            observer: "w",
            event: place,
            state: .dead,
            attempt: DeliveryAttempt(number: 1, at: .latest)
        )
        try await log.recordOutcomes([outcome])
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(pending: 1))
        for count in [Int.min, 0, 1, .max] {
            let due = try await log.due(of: "w", at: .latest, limit: count)
            #expect(due.count == (count > 0 ? 1 : 0))
        }
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `abandoning makes everything pending a dead letter`(kind: LogKind) async throws {
        let log = try kind.make().log
        try await save(log, "w", ["a"])
        try await save(log, "v", ["a"])
        _ = try await log.append(Array(repeating: .of("a"), count: 4_100))
        // Not as long as it receives: somebody has enabled it again.
        #expect(try await log.abandonDeliveries(of: "w", failure: "gone", at: .now()) == 0)
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(pending: 4_100))
        try await save(log, "w", ["a"], receives: false)
        #expect(try await log.abandonDeliveries(of: "w", failure: "gone", at: .now()) == 4_100)
        #expect(try await log.deliveryStats(of: "w") == DeliveryStats(deadLetters: 4_100))
        #expect(try await log.deliveryStats(of: "v") == DeliveryStats(pending: 4_100))
        #expect(try await log.abandonDeliveries(of: "w", failure: "gone", at: .now()) == 0)
        #expect(try await log.abandonDeliveries(of: "nobody", failure: "gone", at: .now()) == 0)
        await log.close()
    }
}
