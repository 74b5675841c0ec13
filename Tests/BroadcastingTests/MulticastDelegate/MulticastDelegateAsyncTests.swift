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

    @Test func `a released delegate is not called`() async {
        let delegates = MulticastDelegate<any Saving>()
        delegates.add(Saver(), deliver: .immediate)
        await delegates.invoke { saver in
            Issue.record("a released delegate was called")
            await saver.save(1)
        }
    }
}

private protocol Saving: AnyObject, Sendable {
    func save(_ document: Int) async
    func note(_ document: Int)
}

private final class Saver: Saving {
    let saved = Recorder<Int>()
    func note(_ document: Int) { saved.hear(document) }
    func save(_ document: Int) async {
        await Task.yield()
        saved.hear(document)
    }
}
