import Locking
import Synchronization
import Testing

@testable import Broadcasting

@Suite struct ObserverTableConcurrencyTests {
    let table = ObserverTable<Int, Int>()

    @Test func `eight threads register, notify, list, unregister and release at once`() async {
        let table = table
        let calls = Atomic(0)
        let steady = Recorder<Int>()
        table.register(0, owner: steady) { _, _ in calls.add(1, ordering: .relaxed) }
        let threads = 8
        let rounds = 2_000
        await onThreads(threads) { thread in
            for round in 0..<rounds {
                let observer = Recorder<Int>()
                let registration = table.register(round % 3, owner: observer) { $0.hear($1) }
                table.register(0, owner: observer, replacing: .sameOwner) { $0.hear($1) }
                table.notify(0, thread)
                switch round % 4 {
                case 0: table.remove(registration)
                case 1: table.removeAll(ownedBy: observer)
                case 2: table.token(for: registration).cancel()
                default: _ = table.count(of: 0)
                }
                if round % 100 == 0 { table.removeAll(2) }
            }
        }
        #expect(calls.load(ordering: .relaxed) == threads * rounds, "the steady observer misses none")
        for key in table.keys { table.notify(key, 0) }
        #expect(table.registrationCount == 1, "nothing but the steady observer is left")
    }

    /// Promise 5.
    @Test(arguments: DeliveryMode.allCases)
    func `after unregister has returned no later notification calls the observer`(mode: DeliveryMode) async {
        let table = table
        let posted = Atomic(0)
        let isOver = Atomic(false)
        let observers = (0..<7).map { _ in Recorder<Int>() }
        let limits = Lock<[Int: Int]>([:])
        await onThreads(8) { thread in
            guard thread < 7 else {
                while !isOver.load(ordering: .acquiring) {
                    // The number is drawn before the notification starts.
                    table.notify(1, posted.add(1, ordering: .sequentiallyConsistent).newValue)
                }
                return
            }
            for _ in 0..<200 {
                table.register(1, owner: observers[thread], deliver: mode.delivery) { $0.hear($1) }
                table.removeAll(ownedBy: observers[thread])
            }
            let limit = posted.load(ordering: .sequentiallyConsistent)
            let remaining = limits.withLock { limits in
                limits[thread] = limit
                return 7 - limits.count
            }
            if remaining == 0 {
                while posted.load(ordering: .relaxed) < limit + 100 {}
                isOver.store(true, ordering: .releasing)
            }
        }
        // Calls handed over before may still run, but they stem from notifications that started before.
        for (thread, observer) in observers.enumerated() {
            let limit = limits.withLock { $0[thread]! }
            #expect(observer.values.allSatisfy { $0 <= limit })
        }
        #expect(table.registrationCount == 0)
    }

    @Test func `fifteen thousand unregister during notifications, and each notification reaches those that are left`()
        async
    {
        let table = table
        let calls = Atomic(0)
        let owners = (0..<15_000).map { _ in Recorder<Int>() }
        let registrations = owners.map { owner in
            table.register(1, owner: owner) { _, _ in calls.add(1, ordering: .relaxed) }
        }
        let steady = Recorder<Int>()
        table.register(1, owner: steady) { $0.hear($1) }
        let isOver = Atomic(false)
        await onThreads(2) { thread in
            if thread == 0 {
                var posted = 0
                while !isOver.load(ordering: .acquiring) {
                    posted += 1
                    table.notify(1, posted)
                }
            } else {
                for registration in registrations.shuffled() { table.remove(registration) }
                isOver.store(true, ordering: .releasing)
            }
        }
        #expect(table.registrationCount == 1)
        #expect(steady.values == steady.values.indices.map { $0 + 1 })
        let before = calls.load(ordering: .relaxed)
        table.notify(1, 0)
        #expect(calls.load(ordering: .relaxed) == before)
    }
}
