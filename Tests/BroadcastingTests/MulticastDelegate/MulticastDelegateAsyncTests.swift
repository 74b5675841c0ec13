import Dispatch
import Testing

@testable import Broadcasting

@Suite struct MulticastDelegateAsyncTests {
    @Test(arguments: DeliveryMode.allCases)
    func `an asynchronous invocation returns when every delegate is through with it`(mode: DeliveryMode) async {
        let delegates = MulticastDelegate<any Saving>()
        let savers = (0..<3).map { _ in Saver() }
        for saver in savers { delegates.add(saver, deliver: mode.delivery) }
        for document in 1...50 { await delegates.invoke { await $0.save(document) } }
        for saver in savers { #expect(saver.saved.values == Array(1...50)) }
    }

    @Test @MainActor func `each delegate is called where it wished to be`() async {
        let delegates = MulticastDelegate<any Saving>()
        let queue = DispatchQueue(label: "queue")
        let onQueue = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: onQueue, value: true)
        let desk = Desk()
        let savers = (0..<4).map { _ in Saver() }
        delegates.add(savers[0], deliver: .main)
        delegates.add(savers[1], deliver: .queue(queue))
        delegates.add(savers[2], deliver: .actor(desk))
        delegates.add(savers[3], deliver: .background)
        await delegates.invoke { saver in
            if saver === savers[0] { MainActor.assertIsolated() }
            if saver === savers[1] { dispatchPrecondition(condition: .onQueue(queue)) }
            if saver === savers[2] { desk.assertIsolated() }
            if saver === savers[3] {
                dispatchPrecondition(condition: .notOnQueue(.main))
                #expect(DispatchQueue.getSpecific(key: onQueue) == nil)
            }
            await saver.save(1)
        }
        #expect(savers.map(\.saved.values) == [[1], [1], [1], [1]])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a slow delegate does not hold up another`() async {
        let delegates = MulticastDelegate<any Saving>()
        let slow = Saver()
        let quick = Saver()
        delegates.add(slow, deliver: .background)
        delegates.add(quick, deliver: .background)
        await delegates.invoke { saver in
            if saver === slow { await eventually("the quick one is called meanwhile") { quick.saved.values == [1] } }
            await saver.save(1)
        }
        #expect(slow.saved.values == [1])
    }

    @Test(arguments: DeliveryMode.allCases)
    func `it comes after the invocations that nobody waited for`(mode: DeliveryMode) async {
        let delegates = MulticastDelegate<any Saving>()
        let saver = Saver()
        delegates.add(saver, deliver: mode.delivery)
        for round in 0..<50 {
            for step in 0..<3 { delegates.invoke { $0.note(round * 10 + step) } }
            await delegates.invoke { await $0.save(round * 10 + 3) }
        }
        var expected: [Int] = []
        for round in 0..<50 { expected += (0..<4).map { round * 10 + $0 } }
        #expect(saver.saved.values == expected)
    }

    @Test(arguments: DeliveryMode.handingOver)
    func `what is posted while a delegate is being called is heard when that is over`(mode: DeliveryMode) async {
        let delegates = MulticastDelegate<any Saving>()
        let other = Broadcaster()
        let saver = Saver()
        delegates.add(saver, deliver: mode.delivery)
        other.register((any Saving).self, observer: saver, deliver: .background)
        let hasBegun = Recorder<Bool>()
        let goOn = Recorder<Bool>()
        async let invocation: Void = delegates.invoke { saver in
            hasBegun.hear(true)
            await eventually("it goes on") { !goOn.values.isEmpty }
            await saver.save(1)
        }
        await eventually("it has begun") { !hasBegun.values.isEmpty }
        delegates.invoke { $0.note(2) }
        other.notify((any Saving).self) { $0.note(3) }
        goOn.hear(true)
        await invocation
        await eventually("all is heard") { saver.saved.values.count == 3 }
        #expect(saver.saved.values == [1, 2, 3])
    }

    @Test func `it comes before what is posted after it, though its turn is not yet`() async {
        let queue = DispatchQueue(label: "held up")
        let delegates = MulticastDelegate<any Saving>()
        let saver = Saver()
        delegates.add(saver, deliver: .queue(queue))
        queue.suspend()
        async let invocation: Void = delegates.invoke { await $0.save(1) }
        await eventually("it waits") { saver.strand.turnCount == 1 }
        delegates.invoke { $0.note(2) }
        queue.resume()
        await invocation
        await eventually("all is heard") { saver.saved.values.count == 2 }
        #expect(saver.saved.values == [1, 2])
    }

    @Test(.timeLimit(.minutes(1)), arguments: DeliveryMode.allCases)
    func `delegates that invoke and wait while they are called do not wait for each other for ever`(
        mode: DeliveryMode
    ) async {
        let delegates = MulticastDelegate<any Saving>()
        let savers = (0..<3).map { _ in Saver() }
        for saver in savers { delegates.add(saver, deliver: mode.delivery) }
        await withTaskGroup { group in
            for round in 0..<20 {
                group.addTask {
                    await delegates.invoke { saver in
                        await saver.save(round)
                        await delegates.invoke { await $0.save(100 + round) }
                    }
                }
            }
        }
        for saver in savers { #expect(saver.saved.values.count == 20 + 60) }
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled invocation does not wait for a queue that is suspended, and calls nobody later`() async {
        let queue = DispatchQueue(label: "held up")
        let delegates = MulticastDelegate<any Saving>()
        let saver = Saver()
        delegates.add(saver, deliver: .queue(queue))
        queue.suspend()
        delegates.invoke { $0.note(0) }
        for waiting in 1...3 {
            let invocation = Task { await delegates.invoke { await $0.save(waiting) } }
            if waiting == 2 { await Task.yield() }
            invocation.cancel()
            await invocation.value
        }
        delegates.invoke { $0.note(4) }
        queue.resume()
        await eventually("the others are heard") { saver.saved.values.last == 4 }
        #expect(saver.saved.values == [0, 4])
    }

    @Test(.timeLimit(.minutes(1)))
    func `a cancelled invocation that has its turn does not wait for its queue either`() async {
        let queue = DispatchQueue(label: "held up")
        let delegates = MulticastDelegate<any Saving>()
        let saver = Saver()
        delegates.add(saver, deliver: .queue(queue))
        queue.suspend()
        let invocation = Task { await delegates.invoke { await $0.save(1) } }
        await eventually("it waits") { saver.strand.turnCount == 1 }
        invocation.cancel()
        await invocation.value
        delegates.invoke { $0.note(2) }
        queue.resume()
        await eventually("the other is heard") { !saver.saved.values.isEmpty }
        #expect(saver.saved.values == [2])
    }

    @Test func `cancelling reaches a call under way, which is waited for`() async {
        let delegates = MulticastDelegate<any Saving>()
        let saver = Saver()
        delegates.add(saver, deliver: .background)
        let hasBegun = Recorder<Bool>()
        let invocation = Task {
            await delegates.invoke { saver in
                hasBegun.hear(true)
                await eventually("it is cancelled") { Task.isCancelled }
                await saver.save(1)
            }
        }
        await eventually("it has begun") { !hasBegun.values.isEmpty }
        invocation.cancel()
        await invocation.value
        #expect(saver.saved.values == [1])
    }

    @Test func `a delegate that is removed or released before its turn is not called, nor kept`() async {
        let queue = DispatchQueue(label: "held up")
        let delegates = MulticastDelegate<any Saving>()
        let removed = Saver()
        let heard = Recorder<Int>()
        delegates.add(removed, deliver: .queue(queue))
        queue.suspend()
        weak var released: Saver?
        let invocation: Task<Void, Never>
        do {
            let saver = Saver()
            released = saver
            delegates.add(saver, deliver: .queue(queue))
            invocation = Task { await delegates.invoke { (_: any Saving) async in heard.hear(1) } }
            await eventually("both wait") { saver.strand.turnCount == 1 && removed.strand.turnCount == 1 }
            delegates.remove(removed)
        }
        await eventually("it is released") { released == nil }
        queue.resume()
        await invocation.value
        #expect(heard.values.isEmpty)
    }

    @Test func `it runs in the context of who waits`() async {
        let delegates = MulticastDelegate<any Saving>()
        let savers = DeliveryMode.allCases.map { _ in Saver() }
        for (saver, mode) in zip(savers, DeliveryMode.allCases) { delegates.add(saver, deliver: mode.delivery) }
        await Trace.$number.withValue(7) {
            await delegates.invoke { await $0.save(Trace.number) }
        }
        #expect(savers.map(\.saved.values) == savers.map { _ in [7] })
    }

    @Test func `a released delegate is not called`() async {
        let delegates = MulticastDelegate<any Saving>()
        delegates.add(Saver(), deliver: .immediate)
        await delegates.invoke { saver in
            Issue.record("a released delegate was called")
            await saver.save(1)
        }
    }
}

private enum Trace {
    @TaskLocal static var number = 0
}

private protocol Saving: AnyObject, Sendable {
    func save(_ document: Int) async
    func note(_ document: Int)
}

private final class Saver: Saving {
    let saved = Recorder<Int>()

    var strand: Strand { StrandDirectory.Key(address: ObjectIdentifier(self)).strand }

    func note(_ document: Int) { saved.hear(document) }
    func save(_ document: Int) async {
        await Task.yield()
        saved.hear(document)
    }
}

extension StrandDirectory.Key {
    /// The strand as it is now.
    fileprivate var strand: Strand {
        defer { StrandDirectory.leave(self) }
        return StrandDirectory.enter(self)
    }
}
