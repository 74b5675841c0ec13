import Testing

@testable import EventLog

/// What is promised of observers.
@Suite("Conformance: observers") struct ObserverTests {
    private func record(_ id: ObserverID, _ topics: [String], types: [String] = [], receives: Bool = true)
        -> ObserverRecord
    {
        ObserverRecord(
            id: id,
            topics: topics.map(TopicPattern.of),
            types: types,
            receives: receives,
            document: Array("{\"url\":\"\(id)\"}".utf8),
            createdAt: Timestamp(milliseconds: 1_000)
        )
    }

    @Test(arguments: LogKind.all)
    func `creates, replaces and lists`(kind: LogKind) async throws {
        let log = try kind.make().log
        let first = try await log.saveObserver(record("b", ["x", "y.*"], types: ["t", "u"]), expecting: nil)
        #expect(first.created)
        var later = record("b", ["z"], receives: false)
        later.createdAt = Timestamp(milliseconds: 9_999)
        let second = try await log.saveObserver(later, expecting: first.record.revision)
        #expect(!second.created)
        #expect(second.record.revision > first.record.revision)
        #expect(second.record.createdAt == Timestamp(milliseconds: 1_000))
        let other = try await log.saveObserver(record("a", ["x"]), expecting: nil).record
        var newer = record("0", [])
        newer.createdAt = Timestamp(milliseconds: 2_000)
        let last = try await log.saveObserver(newer, expecting: nil).record
        #expect(try await log.observers() == [other, second.record, last])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `a change that expects another revision fails, and only itself`(kind: LogKind) async throws {
        let log = try kind.make().log
        let saved = try await log.saveObserver(record("a", ["x"]), expecting: nil).record
        let stale = saved.revision + 7
        let store = record("a", ["y"])
        async let saving = code { () throws(EventLogError) in try await log.saveObserver(store, expecting: stale) }
        async let deleting = code { () throws(EventLogError) in try await log.deleteObserver("a", expecting: stale) }
        async let making = code { () throws(EventLogError) in
            try await log.saveObserver(ObserverRecord(id: "new", topics: [], createdAt: .now()), expecting: 1)
        }
        async let taking = code { () throws(EventLogError) in try await log.saveObserver(store, expecting: 0) }
        async let posting = log.append([.of("x"), .of("y")])
        #expect(await [saving, deleting, making, taking] == Array(repeating: .revisionChanged, count: 4))
        #expect(try await posting.count == 2)
        #expect(try await log.observers() == [saved])
        #expect(try await log.pendingDeliveries(of: "a", limit: 10).map(\.event.topic) == [.of("x")])
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `an observer that must be new is saved where there is none`(kind: LogKind) async throws {
        let log = try kind.make().log
        #expect(try await log.saveObserver(record("a", ["x"]), expecting: 0).created)
        #expect(try await log.deleteObserver("a", expecting: nil))
        #expect(try await log.saveObserver(record("a", ["x"]), expecting: 0).created)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `a revision is never used twice, also when an observer is deleted and made again`(kind: LogKind) async throws {
        let log = try kind.make().log
        var revisions: [Int64] = []
        for _ in 0..<5 {
            revisions.append(try await log.saveObserver(record("a", ["x"]), expecting: nil).record.revision)
            #expect(try await log.deleteObserver("a", expecting: revisions.last))
        }
        #expect(Set(revisions).count == 5)
        #expect(try await !log.deleteObserver("a", expecting: nil))
        #expect(try await !log.deleteObserver("a", expecting: 1))
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `deleting takes the deliveries along, however many`(kind: LogKind) async throws {
        let log = try kind.make().log
        _ = try await log.saveObserver(record("a", ["x"]), expecting: nil)
        _ = try await log.saveObserver(record("b", ["**"]), expecting: nil)
        _ = try await log.append(Array(repeating: .of("x"), count: 4_500))
        #expect(try await log.deleteObserver("a", expecting: nil))
        _ = try await log.saveObserver(record("a", ["x"]), expecting: nil)
        #expect(try await log.deliveryStats(of: "a") == DeliveryStats())
        #expect(try await log.dueDeliveries(of: "a", at: .latest, limit: 1) == DueDeliveries(deliveries: [], next: nil))
        #expect(try await log.deliveryStats(of: "b").pending == 4_500)
        #expect(try await log.due(of: "b", at: .latest, limit: 9_999).count == 4_500)
        await log.close()
    }

    @Test(arguments: LogKind.all)
    func `deletes every observer of exactly a pattern`(kind: LogKind) async throws {
        let log = try kind.make().log
        for (id, topics) in [("a" as ObserverID, ["x.*"]), ("b", ["x.y"]), ("c", ["q", "x.*"]), ("d", ["x.**"])] {
            _ = try await log.saveObserver(record(id, topics, receives: id != "c"), expecting: nil)
        }
        #expect(try await Set(log.deleteObservers(of: .of("x.*"))) == ["a", "c"])
        #expect(try await log.deleteObservers(of: .of("x.*")).isEmpty)
        _ = try await log.append([.of("x.y")])
        #expect(try await log.observers().map(\.id) == ["b", "d"])
        for id in ["a", "b", "c", "d"] as [ObserverID] {
            #expect(try await log.deliveryStats(of: id).pending == (id == "b" || id == "d" ? 1 : 0))
        }
        await log.close()
    }
}
