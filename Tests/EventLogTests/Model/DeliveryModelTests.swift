import Testing

@testable import EventLog

/// Positions and exceptions against a row for every event and observer: whatever happens, they say the same.
@Suite struct DeliveryModelTests {
    private static let topics = ["a", "b.c", "b.d", "e"]
    private static let patterns = ["a", "b.*", "b.c", "**", "e", "nothing.*"]

    @Test(arguments: [UInt64(1), 2, 3, 4, 5]) func `what is read is what a row each would say`(seed: UInt64)
        async throws
    {
        var random = SplitMix(seed: seed)
        let directory = try TemporaryDirectory()
        let clock = ManualClock()
        func open() throws -> SQLiteEventLog {
            var limits = SQLiteEventLog.Limits()
            // So few that what an observer wanted first is given up for rows again and again.
            limits.interests = 3
            return try SQLiteEventLog(
                at: .directory(directory.path),
                durability: .process,
                limits: limits,
                manual: clock
            )
        }
        var log = try open()
        var model = DeliveryModel()
        for step in 0..<400 {
            clock.now = clock.now.advanced(byMilliseconds: 1)
            let id: ObserverID = ["v", "w"].randomElement(using: &random) ?? "w"
            switch Int.random(in: 0..<100, using: &random) {
            case ..<35:
                let drafts = (0..<Int.random(in: 1...9, using: &random)).map { _ in
                    EventDraft.of(
                        Self.topics.randomElement(using: &random) ?? "a",
                        type: Bool.random(using: &random) ? "t" : nil
                    )
                }
                try await log.append(drafts)
                for draft in drafts { model.post(draft.topic, type: draft.type) }
            case ..<50:
                let topics = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    TopicPattern.of(Self.patterns.randomElement(using: &random) ?? "a")
                }
                let types = Int.random(in: 0..<4, using: &random) == 0 ? ["t", "u"] : []
                let receives = Int.random(in: 0..<4, using: &random) > 0
                let record = ObserverRecord(
                    id: id,
                    topics: topics,
                    types: types,
                    receives: receives,
                    createdAt: clock.now
                )
                _ = try await log.saveObserver(record, expecting: nil)
                model.save(id, topics, types, receives: receives)
            case ..<80:
                let due = try await log.due(of: id, at: log.now, limit: Int.random(in: 1...40, using: &random))
                let taken = due.shuffled(using: &random).prefix(Int.random(in: 0...due.count, using: &random))
                let later = log.now.advanced(byMilliseconds: 3)
                let outcomes = taken.map { delivery -> DeliveryOutcome in
                    let state = [DeliveryOutcome.State.delivered, .dead, .pending(notBefore: later)][
                        Int.random(in: 0..<3, using: &random)
                    ]
                    return DeliveryOutcome(
                        of: delivery,
                        state: state,
                        attempt: DeliveryAttempt(number: delivery.attempts + 1, at: clock.now)
                    )
                }
                try await log.recordOutcomes(outcomes)
                for outcome in outcomes {
                    let state: DeliveryState =
                        switch outcome.state {
                        case .delivered: .delivered
                        case .dead: .dead
                        case .pending: .pending
                        }
                    model.settle(id, outcome.event.rawValue, state, renewals: outcome.renewals)
                }
            case ..<86:
                let event = Int64.random(in: 1...max(model.tail, 1), using: &random)
                _ = try await log.redeliver([Position(event)], to: id, at: clock.now)
                model.redeliver(id, event)
            case ..<90:
                _ = try await log.abandonDeliveries(of: id, failure: "gone", at: clock.now)
                model.abandon(id)
            case ..<92:
                _ = try await log.deleteObserver(id, expecting: nil)
                model.observers[id] = nil
            case ..<95:
                let topic = Topic.of(Self.topics.randomElement(using: &random) ?? "a")
                _ = try await log.deleteTopic(topic)
                model.delete(topic)
            case ..<97:
                try await log.settle()
            default:
                await log.close()
                log = try open()
            }
            if step % 8 == 0 { try await compare(log, model, &random, "seed \(seed), step \(step)") }
        }
        try await log.settle()
        try await compare(log, model, &random, "seed \(seed), at the end")
        await log.close()
        #expect(try SQLiteEventLog.check(directory: directory.path).findings == [])
    }

    private func compare(
        _ log: SQLiteEventLog,
        _ model: DeliveryModel,
        _ random: inout SplitMix,
        _ place: Comment
    ) async throws {
        for id in ["v", "w"] as [ObserverID] {
            // What is gone with its topic is deleted a little later.
            let all = (model.observers[id]?.deliveries ?? [:]).filter { model.topics[$0.key] != nil }
            for state in DeliveryState.allCases {
                let wanted = all.filter { $0.value.state == state }.keys.sorted(by: >)
                let limit = Int.random(in: 1...50, using: &random)
                let before = Int64.random(in: 0...model.tail + 2, using: &random)
                let listed = try await log.deliveries(of: id, in: state, before: Position(before), limit: limit)
                #expect(
                    listed.map(\.event.position.rawValue) == Array(wanted.filter { $0 < before }.prefix(limit)),
                    place
                )
                for delivery in listed {
                    #expect(delivery.attempts == all[delivery.event.position.rawValue]?.attempts, place)
                }
            }
            let pending = all.filter { $0.value.state == .pending }.keys.sorted()
            let read = try await log.pendingDeliveries(of: id, limit: 10_000).map(\.event.position.rawValue)
            #expect(read.filter { model.topics[$0] != nil } == pending, place)
            let event = Int64.random(in: 1...model.tail + 1, using: &random)
            #expect(try await log.delivery(of: Position(event), to: id)?.summary.state == all[event]?.state, place)
            let untried = all.filter { $0.value.state == .pending && !$0.value.isLater && $0.value.renewals == 0 }
            let due = try await log.due(of: id, at: .earliest, limit: 10_000)
            let positions = due.map(\.event.position.rawValue).filter { model.topics[$0] != nil }
            #expect(Set(positions) == Set(untried.keys), place)
        }
        try await log.settle()
        for id in ["v", "w"] as [ObserverID] {
            let pending = (model.observers[id]?.deliveries ?? [:]).count { $0.value.state == .pending }
            #expect(try await log.deliveryStats(of: id).pending == pending, place)
        }
        let total = model.observers.values.reduce(0) { $0 + $1.deliveries.values.count { $0.state == .pending } }
        #expect(try await log.figures().pendingDeliveries == total, place)
    }
}
