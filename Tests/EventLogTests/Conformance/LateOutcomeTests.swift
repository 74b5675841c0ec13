import EventLog
import Testing

/// What is promised of attempts that end when their delivery is no longer what it was as they began.
@Suite("Conformance: late outcomes") struct LateOutcomeTests {
    private func log(_ kind: LogKind) async throws -> (log: any CompleteLog, delivery: DeliveryRecord) {
        let log = try kind.make().log
        let observer = ObserverRecord(id: "w", topics: [.of("a")], createdAt: .now())
        _ = try await log.saveObserver(observer, expecting: nil)
        _ = try await log.append([.of("a")])
        return (log, try #require(try await log.pendingDeliveries(of: "w", limit: 1).first))
    }

    private func outcome(
        _ delivery: DeliveryRecord,
        _ state: DeliveryOutcome.State,
        number: Int = 1
    ) -> DeliveryOutcome {
        DeliveryOutcome(
            of: delivery,
            state: state,
            attempt: DeliveryAttempt(
                number: number,
                at: .now(),
                status: state == .delivered ? 200 : 500,
                failure: state == .delivered ? nil : "status"
            )
        )
    }

    private static let endings: [DeliveryOutcome.State] = [.delivered, .dead, .pending(notBefore: .latest)]

    @Test(arguments: LogKind.all, endings)
    func `one of before a delivery was renewed is kept and counted, and settles nothing`(
        kind: LogKind,
        ending: DeliveryOutcome.State
    ) async throws {
        let (log, first) = try await log(kind)
        let now = log.now
        #expect(try await log.redeliver([first.event.position], to: "w", at: now) == 1)
        try await log.recordOutcomes([outcome(first, ending)])
        let isDelivered = ending == .delivered
        var stats = try await log.deliveryStats(of: "w")
        #expect(stats.pending == 1 && stats.deadLetters == 0)
        #expect(stats.delivered == (isDelivered ? 1 : 0) && stats.failed == (isDelivered ? 0 : 1))
        var found = try #require(try await log.delivery(of: first.event.position, to: "w"))
        #expect(found.summary.state == .pending && found.summary.attempts == 0 && found.summary.notBefore == now)
        #expect(found.summary.status == (isDelivered ? 200 : 500) && found.attempts.map(\.number) == [1])
        let renewed = try #require(try await log.due(of: "w", at: now, limit: 9).first)
        #expect(renewed.event == first.event && renewed.renewals == first.renewals + 1)

        try await log.recordOutcomes([outcome(renewed, .delivered)])
        stats = try await log.deliveryStats(of: "w")
        #expect(stats.pending == 0 && stats.delivered == (isDelivered ? 2 : 1))
        found = try #require(try await log.delivery(of: first.event.position, to: "w"))
        #expect(found.summary.state == .delivered && found.attempts.map(\.number) == [1, 1])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `what is recorded twice counts once`(kind: LogKind) async throws {
        let (log, delivery) = try await log(kind)
        for number in 1...2 {
            for _ in 0..<2 {
                try await log.recordOutcomes([outcome(delivery, .pending(notBefore: .latest), number: number)])
                #expect(try await log.deliveryStats(of: "w").failed == number)
            }
        }
        let found = try #require(try await log.delivery(of: delivery.event.position, to: "w"))
        #expect(found.attempts.map(\.number) == [1, 2] && found.summary.attempts == 2)
        await log.close()
    }

    @Test(arguments: LogKind.all, endings)
    func `one of a delivery that was given up is kept, and a success makes it delivered`(
        kind: LogKind,
        ending: DeliveryOutcome.State
    ) async throws {
        let (log, delivery) = try await log(kind)
        try await save(log, "w", ["a"], receives: false)
        #expect(try await log.abandonDeliveries(of: "w", failure: "gone", at: .now()) == 1)
        for _ in 0..<2 {
            // The second time it is known already.
            try await log.recordOutcomes([outcome(delivery, ending)])
            let isDelivered = ending == .delivered
            let stats = try await log.deliveryStats(of: "w")
            #expect(stats.pending == 0 && stats.deadLetters == (isDelivered ? 0 : 1))
            #expect(stats.delivered == (isDelivered ? 1 : 0) && stats.failed == (isDelivered ? 0 : 1))
            let found = try #require(try await log.delivery(of: delivery.event.position, to: "w"))
            #expect(found.summary.state == (isDelivered ? .delivered : .dead))
            #expect(found.summary.failure == (isDelivered ? nil : "gone"))
            #expect(found.summary.attempts == 1 && found.attempts.map(\.number) == [1])
        }
        await log.close()
    }
}
