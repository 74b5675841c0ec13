import Testing

@testable import EventLog

/// What waits for observers is counted in slices: here there is more than one of them.
@Suite struct UntriedCountTests {
    private let clock = ManualClock()

    private func log() throws -> SQLiteEventLog {
        try SQLiteEventLog(at: .inMemory, durability: .memory, manual: clock)
    }

    private func save(
        _ log: SQLiteEventLog,
        _ id: ObserverID,
        _ topics: [TopicPattern],
        types: [String] = []
    ) async throws {
        let record = ObserverRecord(id: id, topics: topics, types: types, createdAt: clock.now)
        _ = try await log.saveObserver(record, expecting: nil)
    }

    private func post(_ log: SQLiteEventLog, _ count: Int, on topics: [Topic], types: [String?]) async throws {
        for start in stride(from: 0, to: count, by: 1_000) {
            try await log.append(
                (start..<min(start + 1_000, count)).map { number in
                    let (topic, type) = (topics[number % topics.count], types[number % types.count])
                    return EventDraft(topic: topic, type: type, data: [])
                }
            )
        }
    }

    private func pending(_ log: SQLiteEventLog, _ ids: ObserverID...) async throws -> [Int] {
        try await log.deliveryStats(of: ids, within: .seconds(3_600)).map(\.pending)
    }

    @Test func `more than one slice is counted to the last, however it is looked for`() async throws {
        let log = try log()
        try await save(log, "all", [try TopicPattern("a")])
        try await save(log, "typed", [try TopicPattern("a")], types: ["x"])
        try await save(log, "several", [try TopicPattern("a"), try TopicPattern("b.1")], types: ["x", "y"])
        try await save(log, "pattern", [try TopicPattern("b.*")])
        try await save(log, "rare", [try TopicPattern("**")], types: ["z"])
        let topics = try [Topic("a"), Topic("b.1"), Topic("b.2"), Topic("c")]
        try await post(log, 50_000, on: topics, types: ["x", "y", nil])
        _ = try await log.append([EventDraft(topic: topics[3], type: "z", data: [])])
        // Twelve events are each topic with each type.
        var wanted = [12_500, 0, 0, 25_000, 1]
        for number in 0..<50_000 {
            let (topic, type) = (number % 4, number % 3)
            if topic == 0, type == 0 { wanted[1] += 1 }
            if topic < 2, type < 2 { wanted[2] += 1 }
        }
        for _ in 0..<2 { #expect(try await pending(log, "all", "typed", "several", "pattern", "rare") == wanted) }
        #expect(try await log.figures().pendingDeliveries == wanted.reduce(0, +))
        // What is posted then, and what is removed then.
        try await post(log, 24, on: topics, types: ["x", "y", nil])
        wanted = zip(wanted, [6, 2, 8, 12, 0]).map(+)
        #expect(try await pending(log, "all", "typed", "several", "pattern", "rare") == wanted)
        _ = try await log.deleteTopic(topics[0])
        let left = try await pending(log, "all", "typed", "several", "pattern", "rare")
        #expect(left == [0, 0, (0..<50_024).count { $0 % 4 == 1 && $0 % 3 < 2 }, wanted[3], 1])
        await log.close()
    }

    @Test func `many that have deliveries of their own already are counted, too`() async throws {
        let log = try log()
        try await save(log, "w", [try TopicPattern("a")])
        let first = try await log.append([.of("a")])[0].id.position
        try await post(log, 25_000, on: [try Topic("a")], types: [nil])
        let rest = (1...20_500).map { Position(first.rawValue + $0) }
        #expect(try await log.redeliver(rest, to: "w", at: clock.now) == rest.count)
        for _ in 0..<2 { #expect(try await pending(log, "w") == [25_001]) }
        await log.close()
    }

    @Test func `what was saved is answered without a count, which is made later`() async throws {
        let log = try log()
        try await save(log, "w", [try TopicPattern("a")])
        try await post(log, 100, on: [try Topic("a")], types: [nil])
        let record = ObserverRecord(id: "w", topics: [try TopicPattern("b")], createdAt: clock.now)
        #expect(try await log.saveObserver(record, expecting: nil).tried == DeliveryStats())
        #expect(try await pending(log, "w") == [100])
        await log.close()
    }

    @Test func `observers for whom the time is over are left out, but never the first`() async throws {
        let log = try log()
        for id in ["u", "v", "w"] as [ObserverID] { try await save(log, id, [try TopicPattern("a")], types: ["x"]) }
        _ = try await log.append([EventDraft(topic: try Topic("a"), type: "x", data: [])])
        try await post(log, 25_000, on: [try Topic("a")], types: ["y"])
        #expect(try await log.deliveryStats(of: ["u", "v", "w"], within: .zero).map(\.pending) == [1])
        #expect(try await pending(log, "u", "nobody", "v", "w") == [1, 0, 1, 1])
        await log.close()
    }

    @Test func `a count ends when nobody waits for it`() async throws {
        let log = try log()
        try await save(log, "w", [try TopicPattern("a")])
        let count = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await log.deliveryStats(of: "w")
        }
        count.cancel()
        await #expect(throws: EventLogError.self) { _ = try await count.value }
        await log.close()
    }
}
