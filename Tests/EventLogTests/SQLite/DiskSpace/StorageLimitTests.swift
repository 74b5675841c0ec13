import Testing

@testable import EventLog

/// No room left, and room again.
@Suite struct StorageLimitTests {
    @Test(arguments: [Durability.process, .memory])
    func `nothing of a post that finds no room is stored, and later posts are`(durability: Durability) async throws {
        let directory = try TemporaryDirectory()
        var limits = SQLiteEventLog.Limits()
        limits.storageBytes = 400_000
        let log = try SQLiteEventLog(at: .directory(directory.path), durability: durability, limits: limits)
        let heard = Record<Event>()
        log.follow { for event in $0.events { heard.add(event) } }
        _ = try await log.saveObserver(
            ObserverRecord(id: "w", topics: [.of("a")], createdAt: .now()),
            expecting: nil
        )
        let draft = EventDraft(topic: .of("a"), data: Array(repeating: 1, count: 10_000))
        var stored = 0
        while await code(of: { () throws(EventLogError) in try await log.append([draft, draft]) }) == nil {
            stored += 2
        }
        #expect(stored > 10)
        let tail = log.tail
        #expect(tail == Position(Int64(stored)))
        for _ in 0..<3 {
            let refusal = await code { () throws(EventLogError) in
                try await log.append([EventDraft(topic: .of("new"), data: draft.data), draft])
            }
            #expect(refusal == .storageFull)
        }
        #expect(log.tail == tail)
        #expect(try await log.lastEvent(of: .of("new")) == nil)
        #expect(try await log.deliveryStats(of: "w").pending == stored)

        // For maintenance, too, which sets the limit that it knows after each of its steps.
        try await log.change { tables in
            tables.diskSpace.limit = 10_000_000
            try LogDatabase.limitStorage(of: tables.db, to: 10_000_000, pageSize: 4_096)
        }
        let events = try await log.append([EventDraft(topic: .of("new"), data: draft.data), draft])
        #expect(events.map(\.position.rawValue) == [tail.rawValue + 1, tail.rawValue + 2])
        #expect(heard.all.count == stored + 2)
        #expect(try await log.lastEvent(of: .of("new")) == events[0])
        #expect(try await log.deliveryStats(of: "w").pending == stored + 1)
        #expect(try await log.pendingDeliveries(of: "w", limit: 1_000).count == stored + 1)
        await log.close()
    }

    @Test func `an observer that was saved in a failed transaction gets no deliveries`() async throws {
        var limits = SQLiteEventLog.Limits()
        limits.storageBytes = 200_000
        let log = try SQLiteEventLog(at: .inMemory, limits: limits)
        let gate = Record<Bool>()
        // Holds the writer, so that what follows becomes one group.
        log.follow { _ in while gate.all.isEmpty {} }
        log.append([.of("a")]) { _ in }
        async let saving = code { () throws(EventLogError) in
            try await log.saveObserver(
                ObserverRecord(id: "w", topics: [.of("a")], createdAt: .now()),
                expecting: nil
            )
        }
        async let filling = code { () throws(EventLogError) in
            try await log.append([EventDraft(topic: .of("a"), data: Array(repeating: 0, count: 1_000_000))])
        }
        // Both are handed in, or the writer finds them one after the other: then the first is saved.
        await Task.yield()
        gate.add(true)
        let (saved, filled) = await (saving, filling)
        #expect(filled == .storageFull)
        _ = try await log.append([.of("a")])
        let isThere = try await log.observers().map(\.id) == ["w"]
        #expect(isThere == (saved == nil))
        #expect(try await log.pendingDeliveries(of: "w", limit: 10).count == (isThere ? 1 : 0))
        await log.close()
    }
}
