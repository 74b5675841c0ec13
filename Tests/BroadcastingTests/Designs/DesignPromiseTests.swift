import Locking
import Synchronization
import Testing

@testable import Broadcasting

/// What every design promises, held against each of them on each way of delivery.
@Suite struct DesignPromiseTests {
    @Test(arguments: Design.everywhere)
    func `promise 1: an observer is released although it is registered, and not called again`(
        design: Design,
        mode: DeliveryMode
    ) async {
        let channel = design.channel()
        let heard = Recorder<Int>()
        weak var released: Player?
        do {
            let observer = Player { _, value in heard.hear(value) }
            released = observer
            channel.register(observer, deliver: mode.delivery)
            channel.post(1)
            await eventually("it hears") { heard.values == [1] }
        }
        await eventually("it is released") { released == nil }
        channel.post(2)
        let other = Recorder<Int>()
        channel.register(other, deliver: mode.delivery)
        channel.post(3)
        await eventually("the other hears") { other.values == [3] }
        #expect(heard.values == [1])
        #expect(channel.registrationCount == 1)
    }

    @Test(arguments: Design.allCases)
    func `promise 2: an observer with a lifetime takes its entry along at once`(design: Design) {
        final class Observer: Hearing, LifetimeOwner {
            let lifetime = Lifetime()
            func hear(_ value: Int) {}
        }
        let channel = design.channel()
        do {
            let observer = Observer()
            channel.register(observer, deliver: .immediate)
            #expect(channel.registrationCount == 1)
            withExtendedLifetime(observer) {}
        }
        #expect(channel.registrationCount == 0)
    }

    @Test(arguments: Design.everywhere)
    func `promise 2: entries stay proportional to who lives, though nobody unregisters or posts`(
        design: Design,
        mode: DeliveryMode
    ) {
        let channel = design.channel()
        let steady = Recorder<Int>()
        channel.register(steady, deliver: mode.delivery)
        for _ in 0..<5_000 { channel.register(Recorder<Int>(), deliver: mode.delivery) }
        #expect(channel.registrationCount <= 2 * SweepSchedule.minimum + 1)
        withExtendedLifetime(steady) {}
    }

    @Test(.disabled(if: addressSanitizerKeepsAddresses), arguments: Design.allCases)
    func `promise 3: an object at a dead observer's address is a new observer`(design: Design) throws {
        try whenReused {
            let channel = design.channel()
            var dead: Recorder<Int>? = Recorder<Int>()
            let address = ObjectIdentifier(dead!)
            channel.register(dead!, deliver: .immediate)
            dead = nil

            let others = (0..<1_000).map { _ in Recorder<Int>() }
            #if !canImport(ObjectiveC)
                #expect(!others.contains { ObjectIdentifier($0) == address }, "the entry keeps the address")
            #endif
            channel.post(0)
            #expect(others.allSatisfy { $0.values.isEmpty }, "they did not register")
            #expect(channel.registrationCount == 0)

            let heir = try object(at: address) { Recorder<Int>() }
            channel.post(1)
            #expect(heir.values.isEmpty, "it did not register")
            channel.register(heir, deliver: .immediate)
            channel.post(2)
            channel.unregister(heir)
            channel.post(3)
            #expect(heir.values == [2])
        }
    }

    @Test(arguments: Design.everywhere)
    func `promise 4: an observer may register others, post, and unregister itself while it is called`(
        design: Design,
        mode: DeliveryMode
    ) async {
        let channel = design.channel()
        let heard = Recorder<Int>()
        let late = Recorder<Int>()
        let observer = Player { observer, value in
            heard.hear(value)
            if value == 1 {
                channel.register(late, deliver: mode.delivery)
                channel.post(2)
            }
            if value == 2 {
                channel.unregister(observer)
                channel.post(3)
            }
        }
        channel.register(observer, deliver: mode.delivery)
        channel.post(1)
        await eventually("all is heard") { late.values.count == 2 }
        #expect(heard.values == [1, 2])
        // Only where calls are nested is the inner post heard before the rest of the outer one.
        let isNested = mode == .immediate && design != .observableValue
        #expect(late.values == (isNested ? [3, 2] : [2, 3]))
    }

    @Test(arguments: Design.everywhere)
    func `promise 4: no lock is held while an observer is called`(design: Design, mode: DeliveryMode) async {
        let channel = design.channel()
        let isFree = Recorder<Bool>()
        let observer = Player { observer, value in
            guard value == 1 else { return }
            isFree.hear(
                finishesOnAnotherThread {
                    let other = Recorder<Int>()
                    channel.register(other, deliver: .immediate)
                    channel.post(2)
                    channel.unregister(other)
                }
            )
        }
        channel.register(observer, deliver: mode.delivery)
        channel.post(1)
        await eventually("it was called") { isFree.values.count == 1 }
        #expect(isFree.values == [true])
    }

    @Test(arguments: Design.everywhere)
    func `promise 4: who registers in its own deinit is not registered`(design: Design, mode: DeliveryMode) {
        let channel = design.channel()
        // Optimized, an object that is let go at once is on the stack.
        for _ in 0..<1_000 {
            _ = LateComer(channel, mode.delivery)
            _ = LateOwner(channel, mode.delivery)
        }
        #expect(channel.registrationCount == 0)
        channel.post(1)
    }

    @Test(arguments: Design.everywhere)
    func `promise 5: after unregister has returned no later post calls the observer, with eight threads at it`(
        design: Design,
        mode: DeliveryMode
    ) async {
        let channel = design.channel()
        let posted = Atomic(0)
        let working = Atomic(7)
        let observers = (0..<7).map { _ in Recorder<Int>() }
        let limits = Lock<[Int: Int]>([:])
        await onThreads(8) { thread in
            guard thread < 7 else {
                // The number is drawn before the post starts.
                while working.load(ordering: .acquiring) > 0 {
                    channel.post(posted.add(1, ordering: .sequentiallyConsistent).newValue)
                }
                for _ in 0..<50 { channel.post(posted.add(1, ordering: .sequentiallyConsistent).newValue) }
                return
            }
            for _ in 0..<50 {
                channel.register(observers[thread], deliver: mode.delivery)
                channel.unregister(observers[thread])
            }
            let limit = posted.load(ordering: .sequentiallyConsistent)
            limits.withLock { $0[thread] = limit }
            working.subtract(1, ordering: .releasing)
        }
        for (thread, observer) in observers.enumerated() {
            let limit = limits.withLock { $0[thread]! }
            #expect(observer.values.allSatisfy { $0 <= limit })
        }
        #expect(channel.registrationCount == 0)
    }

    @Test(arguments: Design.everywhere)
    func `promise 6: an observer hears in the order of posting`(design: Design, mode: DeliveryMode) async {
        let channel = design.channel()
        let observers = (0..<3).map { _ in Recorder<Int>() }
        for observer in observers { channel.register(observer, deliver: mode.delivery) }
        for value in 0..<500 {
            channel.post(value)
            if value % 97 == 0 { await Task.yield() }
        }
        for observer in observers {
            await eventually("all is heard") { observer.values.count == 500 }
            #expect(observer.values == Array(0..<500))
        }
    }

    @Test(arguments: [Design.broadcaster, .actionCenter, .multicastDelegate, .typedNotification])
    func `registering again replaces the registration, with the delivery given last`(design: Design) async {
        let channel = design.channel()
        let observer = Recorder<Int>()
        channel.register(observer, deliver: .background)
        channel.register(observer, deliver: .immediate)
        channel.post(1)
        #expect(observer.values == [1])
        #expect(channel.registrationCount == 1)
    }

    #if os(Linux)
        @Test(arguments: Design.allCases)
        func `promise 10: a post allocates no more for a thousand observers than for one`(design: Design) async {
            await #expect(processExitsWith: .success) { [design = design as Design] in
                func allocations(telling observers: Int) -> Int {
                    let channel = design.channel()
                    let owners = (0..<observers).map { _ in Tally() }
                    for owner in owners { channel.register(owner, deliver: .immediate) }
                    channel.post(1)
                    let allocations = AllocationCounter.allocations { channel.post(1) }
                    precondition(owners.allSatisfy { $0.sum == 2 })
                    return allocations
                }
                let one = allocations(telling: 1)
                precondition((1...8).contains(one), "\(one) allocations for a post")
                precondition(allocations(telling: 1_000) == one)
            }
        }
    #endif
}

/// Registers when it is too late.
private final class LateComer: Hearing {
    private let channel: any Channel
    private let delivery: Delivery

    init(_ channel: any Channel, _ delivery: Delivery) { (self.channel, self.delivery) = (channel, delivery) }

    func hear(_ value: Int) { Issue.record("it is gone") }

    deinit { channel.register(self, deliver: delivery) }
}

private final class LateOwner: Hearing, LifetimeOwner {
    let lifetime = Lifetime()
    private let channel: any Channel
    private let delivery: Delivery

    init(_ channel: any Channel, _ delivery: Delivery) { (self.channel, self.delivery) = (channel, delivery) }

    func hear(_ value: Int) { Issue.record("it is gone") }

    deinit { channel.register(self, deliver: delivery) }
}

/// Hears without allocating.
private final class Tally: Hearing {
    private let heard = Atomic(0)
    var sum: Int { heard.load(ordering: .relaxed) }
    func hear(_ value: Int) { heard.add(value, ordering: .relaxed) }
}
