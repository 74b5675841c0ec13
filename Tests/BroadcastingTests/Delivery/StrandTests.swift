import Dispatch
import Locking
import Synchronization
import Testing

@testable import Broadcasting

/// Promise 6: an observer hears in the order of posting and one call at a time, whatever becomes of its registrations meanwhile.
@Suite struct StrandTests {
    /// Those in which registering again replaces the registration.
    static let replacing = Design.allCases.filter { $0 != .observableValue }
    static let handingOver = Design.allCases.flatMap { design in DeliveryMode.handingOver.map { (design, $0) } }

    @Test(arguments: handingOver)
    func `an observer that unregisters and registers again is still called in order, one call at a time`(
        design: Design,
        mode: DeliveryMode
    ) async {
        let channel = design.channel()
        let observer = Witness()
        for value in 0..<400 {
            channel.register(observer, deliver: mode.delivery)
            channel.post(value)
            if value < 399 { channel.unregister(observer) }
        }
        await eventually("the last is heard") { observer.values.last == 399 }
        observer.expectOrder()
    }

    @Test(arguments: Design.allCases)
    func `an observer that unregisters and registers elsewhere is still called in order, one call at a time`(
        design: Design
    ) async {
        let channel = design.channel()
        let observer = Witness()
        for value in 0..<400 {
            channel.register(observer, deliver: DeliveryMode.handingOver[value % 5].delivery)
            channel.post(value)
            if value < 399 { channel.unregister(observer) }
        }
        await eventually("the last is heard") { observer.values.last == 399 }
        observer.expectOrder()
    }

    @Test(arguments: replacing)
    func `an observer that registers again with another delivery misses nothing and hears it in order`(
        design: Design
    ) async {
        let channel = design.channel()
        let observer = Witness()
        for value in 0..<400 {
            channel.register(observer, deliver: DeliveryMode.handingOver[value % 5].delivery)
            channel.post(value)
        }
        await eventually("all is heard") { observer.values.count == 400 }
        #expect(observer.values == Array(0..<400))
        observer.expectOrder()
    }

    @Test func `the order holds across centres, whatever the deliveries`() async {
        let channels = Design.allCases.map { $0.channel() }
        let observer = Witness()
        for (channel, mode) in zip(channels, DeliveryMode.handingOver) {
            channel.register(observer, deliver: mode.delivery)
        }
        for value in 0..<1_000 { channels[value * 7 % 5].post(value) }
        await eventually("all is heard") { observer.values.count == 1_000 }
        #expect(observer.values == Array(0..<1_000))
        observer.expectOrder()
        // Else they may end after the last post, and with them what waits.
        withExtendedLifetime(channels) {}
    }

    @Test func `a handler under a name is replaced and removed without overlapping its successor`() async {
        let number = ObservableValue(0)
        let witness = Witness()
        for value in 1...400 {
            number.observe(forKey: "log", deliver: .background) { witness.hear($0) }
            number.value = value
            if value % 2 == 0, value < 400 { number.removeObserver(forKey: "log") }
        }
        await eventually("the last is heard") { witness.values.last == 400 }
        witness.expectOrder()
    }

    @Test(.disabled(if: addressSanitizerKeepsAddresses))
    func `a handler under a name does not wait for those of a variable that is gone`() async throws {
        let queue = DispatchQueue(label: "slow")
        queue.suspend()
        defer { queue.resume() }
        var successor: ObservableValue<Int>?
        try whenReused {
            var former: ObservableValue<Int>? = ObservableValue(0)
            former?.observe(forKey: "log", deliver: .queue(queue)) { _ in }
            former?.value = 1
            let address = former.map { ObjectIdentifier($0.table) }
            former = nil
            var others: [ObservableValue<Int>] = []
            repeat {
                if others.count == 1_000 { throw NotReused() }
                others.append(ObservableValue(0))
            } while others.last.map({ ObjectIdentifier($0.table) }) != address
            successor = others.last
        }
        let number = try #require(successor)
        let quick = Witness()
        number.observe(forKey: "log", deliver: .background) { quick.hear($0) }
        number.value = 1
        await eventually("the quick one hears") { quick.values == [1] }
        withExtendedLifetime(number) {}
    }

    @Test func `observers do not wait for each other`() async {
        let channel = Design.broadcaster.channel()
        let isOver = DispatchSemaphore(value: 0)
        let quick = Witness()
        let slow = Player { _, _ in isOver.wait() }
        channel.register(slow, deliver: .queue(DispatchQueue(label: "slow")))
        channel.register(quick, deliver: .background)
        channel.post(1)
        await eventually("the quick one hears") { quick.values == [1] }
        isOver.signal()
    }

    @Test func `a strand goes when nothing leads to it any more`() async {
        let observer = Witness()
        weak var strand: Strand?
        do {
            let channels = Design.allCases.map { $0.channel() }
            for channel in channels { channel.register(observer, deliver: .background) }
            let route = CallPath(.main, of: StrandDirectory.Key(address: ObjectIdentifier(observer)))
            strand = route?.strand
            for channel in channels { channel.post(1) }
            await eventually("all have called") { observer.values.count == 5 }
            #expect(strand != nil)
            for channel in channels { channel.unregister(observer) }
            withExtendedLifetime(route) {}
        }
        await eventually("the strand goes") { strand == nil }
    }

    // MARK: In whose context

    @Test(arguments: DeliveryMode.handingOver)
    func `calls do not see the task-local values of who happened to post first, nor keep them`(mode: DeliveryMode) async
    {
        let table = ObserverTable<String, Int>()
        let observer = Recorder<Bool>()
        table.register("a", owner: observer, deliver: mode.delivery) { observer, _ in
            observer.hear(Context.current == nil)
        }
        weak var context: Context?
        do {
            let value = Context()
            context = value
            Context.$current.withValue(value) { table.notify("a", 1) }
        }
        for _ in 0..<100 { table.notify("a", 2) }
        await eventually("all is heard") { observer.values.count == 101 }
        #expect(observer.values.allSatisfy { $0 })
        await eventually("the context is released") { context == nil }
    }

    // MARK: A model

    /// Registrations, posts and ends at random from several threads, in all designs at once and with all deliveries.
    @Test(arguments: 1...5)
    func `whatever is done, each observer hears in the order of the posts, one call at a time`(seed: UInt64) async {
        let channels = Design.allCases.map { $0.channel() }
        let observers = (0..<3).map { _ in Witness() }
        let posts = Lock(0)
        await onThreads(4) { thread in
            var random = SplitMix(state: seed &* 1_000 &+ UInt64(thread))
            for _ in 0..<400 {
                let channel = channels[Int.random(in: 0..<5, using: &random)]
                let observer = observers[Int.random(in: 0..<3, using: &random)]
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<3:
                    channel.register(
                        observer,
                        deliver: DeliveryMode.handingOver.randomElement(using: &random)!.delivery
                    )
                case 3: channel.unregister(observer)
                default:
                    // Posted under a lock, so that there is one order.
                    posts.withLock { number in
                        number += 1
                        channel.post(number)
                    }
                }
            }
        }
        let last = posts.withLock { $0 }
        for observer in observers {
            for channel in channels { channel.register(observer, deliver: .background) }
        }
        channels[0].post(last + 1)
        for observer in observers {
            await eventually("the last is heard") { observer.values.last == last + 1 }
            observer.expectOrder(mayRepeat: true)
        }
        withExtendedLifetime(channels) {}
    }
}

private final class Context: Sendable {
    @TaskLocal static var current: Context?
}

/// An observer that notes what it heard, and whether one call began during another.
final class Witness: Hearing {
    private let heard = Recorder<Int>()
    private let isCalled = Atomic(false)
    private let overlaps = Atomic(0)

    var values: [Int] { heard.values }

    func hear(_ value: Int) {
        if isCalled.exchange(true, ordering: .relaxed) { overlaps.add(1, ordering: .relaxed) }
        heard.hear(value)
        // Long enough for another call to begin meanwhile, if it may.
        for _ in 0..<500 { _ = overlaps.load(ordering: .sequentiallyConsistent) }
        isCalled.store(false, ordering: .relaxed)
    }

    /// - Parameter mayRepeat: whether it may hear one post several times, for it has several registrations.
    func expectOrder(mayRepeat: Bool = false, sourceLocation: SourceLocation = #_sourceLocation) {
        let values = values
        let inversions = zip(values, values.dropFirst()).count { mayRepeat ? $0 > $1 : $0 >= $1 }
        #expect(inversions == 0, "out of order", sourceLocation: sourceLocation)
        #expect(overlaps.load(ordering: .relaxed) == 0, "overlapping", sourceLocation: sourceLocation)
    }
}
