import Locking
import Testing

@testable import Webhooks

/// Offers to a dispatcher that runs: its pump, its alarms and its transport.
@Suite("WebhookDispatcher: offers")
struct DispatcherOfferTests {
    /// Waits until all that the store has is there and the pump sleeps.
    private func rests(_ fixture: DispatcherFixture, _ ids: String...) async throws {
        try await eventually("it rests") {
            fixture.dispatcher.state.withLock { state in
                !state.hasPumpWork(now: fixture.store.now) && state.scheduler.outcomes.count == 0
                    && ids.allSatisfy { state.scheduler.takesOffers($0, in: .raw) }
            }
        }
    }

    /// Commits deliveries and offers them.
    private func post(_ fixture: DispatcherFixture, _ count: Int, to id: String) {
        fixture.store.commit {
            let ids = (0..<count).map { _ in fixture.store.add(to: id) }
            fixture.dispatcher.offer(id, in: .raw, last: ids.last ?? 0, size: 0) { [store = fixture.store] in
                ids.compactMap { store.row($0)?.delivery }
            }
        }
    }

    @Test("are delivered and recorded, and nothing is read for it")
    func withoutReading() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await rests(fixture, "a")
            let calls = fixture.store.calls
            post(fixture, 1, to: "a")
            try await eventually("it is delivered") { fixture.store.count(.delivered) == 1 }
            try await rests(fixture, "a")
            #expect(receiver.requests.count == 1 && receiver.requests.first?.header("webhook-id") == "event-1")
            #expect(fixture.store.calls == calls + 1)
            #expect(fixture.store.batches == [1])
        }
    }

    @Test("that must wait for the rate have the pump wake when it is their time")
    func rate() async throws {
        // No attempt ends, so that nothing else wakes it.
        let receiver = try Receiver { _ in .hang }
        let fixture = try DispatcherFixture(totalTimeout: .seconds(300))
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, ratePerSecond: 10))
            try await rests(fixture, "a")
            post(fixture, 5, to: "a")
            let begun = fixture.dispatcher.state.withLock { $0.scheduler.attempts.inFlight }
            #expect(begun < 5)
            // By itself the pump looks once a minute.
            try await eventually(within: .seconds(30), "all are under way") { receiver.requests.count == 5 }
        }
    }

    @Test("and wakes, reads and new registrations at the same time lose nothing and repeat nothing")
    func concurrency() async throws {
        let receivers = [try Receiver(), try Receiver()]
        let fixture = try DispatcherFixture()
        try await fixture.run(receivers[0], receivers[1]) {
            let endpoints = try (0..<2).map {
                try fixture.endpoint("e\($0)", receivers[$0].url, maxInFlight: 8, ordered: $0 == 1)
            }
            for endpoint in endpoints { fixture.dispatcher.set(endpoint) }
            await withTaskGroup(of: Void.self) { group in
                for task in 0..<4 {
                    group.addTask {
                        for step in 0..<100 {
                            post(fixture, 1, to: "e\(task % 2)")
                            if step % 10 == task { fixture.dispatcher.set(endpoints[task % 2]) }
                            if step % 7 == task { fixture.dispatcher.wake("e\(task % 2)") }
                            await Task.yield()
                        }
                    }
                }
            }
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 400 }
            for receiver in receivers {
                let ids = receiver.requests.compactMap { $0.header("webhook-id") }
                #expect(ids.count == 200 && Set(ids).count == 200)
            }
            let ids = receivers[1].requests.compactMap { $0.header("webhook-id")?.dropFirst(6) }
            let numbers = ids.compactMap { Int($0) }
            #expect(numbers == numbers.sorted())
        }
    }

    @Test("of which too much waits are left out, and read by every endpoint")
    func overflow() async throws {
        let receivers = [try Receiver(), try Receiver()]
        let fixture = try DispatcherFixture()
        try await fixture.run(receivers[0], receivers[1]) {
            for number in 0..<2 { fixture.dispatcher.set(try fixture.endpoint("e\(number)", receivers[number].url)) }
            try await rests(fixture, "e0", "e1")
            // Who takes offers is held up while it makes the deliveries of the first.
            let isHeld = Locking.Semaphore()
            let goesOn = Locking.Semaphore()
            let first = fixture.store.add(to: "e0")
            fixture.dispatcher.offer("e0", in: .raw, last: first, size: 1) { [store = fixture.store] in
                isHeld.signal()
                _ = goesOn.wait(atMost: .seconds(60))
                return store.row(first).map { [$0.delivery] } ?? []
            }
            #expect(isHeld.wait(atMost: .seconds(60)))
            for id in ["e1", "e0"] {
                let delivery = fixture.store.add(to: id)
                fixture.dispatcher.offer(id, in: .raw, last: delivery, size: 33 << 20) {
                    Issue.record("it was left out")
                    return []
                }
            }
            goesOn.signal()
            try await eventually(within: .seconds(20), "all are delivered") { fixture.store.count(.delivered) == 3 }
            #expect(receivers.map(\.requests.count) == [2, 1])
        }
    }

    @Test("a wake, too, is left to the thread that takes offers: whoever commits only notes it")
    func wake() async throws {
        let receivers = [try Receiver(), try Receiver()]
        let fixture = try DispatcherFixture()
        try await fixture.run(receivers[0], receivers[1]) {
            for number in 0..<2 { fixture.dispatcher.set(try fixture.endpoint("e\(number)", receivers[number].url)) }
            try await rests(fixture, "e0", "e1")
            let isHeld = Locking.Semaphore()
            let goesOn = Locking.Semaphore()
            let first = fixture.store.add(to: "e0")
            fixture.dispatcher.offer("e0", in: .raw, last: first, size: 1) { [store = fixture.store] in
                isHeld.signal()
                _ = goesOn.wait(atMost: .seconds(60))
                return store.row(first).map { [$0.delivery] } ?? []
            }
            #expect(isHeld.wait(atMost: .seconds(60)))
            fixture.store.add(to: "e1")
            fixture.dispatcher.wake("e1")
            let isUnchanged = fixture.dispatcher.state.withLock { $0.scheduler.takesOffers("e1", in: .raw) }
            #expect(isUnchanged)
            goesOn.signal()
            try await eventually("all are delivered") { fixture.store.count(.delivered) == 2 }
            #expect(receivers.map(\.requests.count) == [1, 1])
        }
    }

    @Test("that are made or wait while a topic is deleted are read from the store instead", arguments: [false, true])
    func deletedTopic(ordered: Bool) async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url, ordered: ordered))
            try await rests(fixture, "a")
            let isHeld = Locking.Semaphore()
            let goesOn = Locking.Semaphore()
            fixture.dispatcher.offer("a", in: .raw, last: 1, size: 1) {
                isHeld.signal()
                _ = goesOn.wait(atMost: .seconds(60))
                return [DueDelivery(id: 1, eventID: "gone", topic: "deleted", body: [])]
            }
            #expect(isHeld.wait(atMost: .seconds(60)))
            fixture.dispatcher.offer("a", in: .raw, last: 2, size: 1) {
                Issue.record("it is read")
                return []
            }
            fixture.dispatcher.forget(topic: "deleted")
            fixture.store.add(to: "a")
            goesOn.signal()
            try await eventually("what is left is delivered") { fixture.store.count(.delivered) == 1 }
            #expect(receiver.requests.map { $0.header("webhook-id") } == ["event-1"])
        }
    }

    @Test("that were answered are recorded before the dispatcher ends")
    func shutdown() async throws {
        let receiver = try Receiver()
        let fixture = try DispatcherFixture()
        try await fixture.run(receiver) {
            fixture.dispatcher.set(try fixture.endpoint("a", receiver.url))
            try await rests(fixture, "a")
            post(fixture, 3, to: "a")
            try await eventually("they arrive") { receiver.requests.count == 3 }
            await fixture.dispatcher.shutdown(grace: .seconds(10))
            #expect(fixture.store.count(.delivered) == 3)
        }
    }
}
