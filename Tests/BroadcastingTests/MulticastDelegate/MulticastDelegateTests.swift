import Dispatch
import Testing

@testable import Broadcasting

@Suite struct MulticastDelegateTests {
    let delegates = MulticastDelegate<any RedPointDelegate>()

    @Test func `every delegate is called, in the order of addition`() {
        let calls = Recorder<String>()
        let all = ["a", "b", "c"].map { Point($0, calls) }
        for delegate in all { delegates.add(delegate, deliver: .immediate) }
        delegates.invoke { $0.redPointDidReceive(3) }
        #expect(calls.values == ["a 3", "b 3", "c 3"])
        #expect(delegates.count == 3)
        withExtendedLifetime(all) {}
    }

    @Test func `adding twice is one registration, and removing ends it`() {
        let calls = Recorder<String>()
        let delegate = Point("a", calls)
        delegates.add(delegate, deliver: .immediate)
        delegates.add(delegate, deliver: .immediate)
        #expect(delegates.count == 1)
        delegates.invoke { $0.redPointDidReceive(1) }
        delegates.remove(delegate)
        delegates.remove(delegate)
        delegates.invoke { $0.redPointDidReceive(2) }
        #expect(calls.values == ["a 1"])
        #expect(delegates.count == 0)
    }

    @Test func `a requirement that a delegate leaves out does nothing for it`() {
        let calls = Recorder<String>()
        let plain = Point("plain", calls)
        let keen = KeenPoint(calls)
        delegates.add(plain, deliver: .immediate)
        delegates.add(keen, deliver: .immediate)
        delegates.invoke { $0.redPointWasTapped() }
        #expect(calls.values == ["tapped"])
        withExtendedLifetime((plain, keen)) {}
    }

    @Test func `each delegate is called on its own queue`() async {
        let calls = Recorder<String>()
        let queues = ["first", "second"].map { DispatchQueue(label: $0) }
        let all = queues.map { queue in
            QueuedPoint(queue, calls)
        }
        for delegate in all { delegates.add(delegate, deliver: .queue(delegate.queue)) }
        for number in 0..<100 { delegates.invoke { $0.redPointDidReceive(number) } }
        await eventually("all are called") { calls.values.count == 200 }
        for queue in queues {
            #expect(calls.values.filter { $0.hasPrefix(queue.label) } == (0..<100).map { "\(queue.label) \($0)" })
        }
        withExtendedLifetime(all) {}
    }

    @Test func `the main actor is the default`() async {
        let calls = Recorder<String>()
        let delegate = Point("a", calls)
        let delegates = delegates
        delegates.add(delegate)
        await MainActor.run {
            delegates.invoke { delegate in
                MainActor.assertIsolated()
                delegate.redPointDidReceive(1)
            }
            #expect(calls.values.isEmpty)
        }
        await eventually("it is called") { calls.values == ["a 1"] }
    }

    @Test func `the closure of the invocation, not that of the asynchronous one, is what a synchronous closure is`()
        async
    {
        let calls = Recorder<String>()
        let delegate = Point("a", calls)
        delegates.add(delegate, deliver: .immediate)
        delegates.invoke { $0.redPointDidReceive(1) }  // compiles here without `await`
        #expect(calls.values == ["a 1"])
    }

    @Test func `a delegate that is no object is refused`() async {
        await #expect(processExitsWith: .failure) {
            struct Value: Ticking {}
            MulticastDelegate<any Ticking>().add(Value())
        }
    }
}

private protocol Ticking: Sendable {}

protocol RedPointDelegate: AnyObject, Sendable {
    func redPointDidReceive(_ number: Int)
    /// Optional: does nothing by default.
    func redPointWasTapped()
}

extension RedPointDelegate {
    func redPointWasTapped() {}
}

private final class Point: RedPointDelegate {
    let name: String
    let calls: Recorder<String>
    init(_ name: String, _ calls: Recorder<String>) {
        self.name = name
        self.calls = calls
    }
    func redPointDidReceive(_ number: Int) { calls.hear("\(name) \(number)") }
}

private final class KeenPoint: RedPointDelegate {
    let calls: Recorder<String>
    init(_ calls: Recorder<String>) { self.calls = calls }
    func redPointDidReceive(_ number: Int) {}
    func redPointWasTapped() { calls.hear("tapped") }
}

private final class QueuedPoint: RedPointDelegate {
    let queue: DispatchQueue
    let calls: Recorder<String>
    init(_ queue: DispatchQueue, _ calls: Recorder<String>) {
        self.queue = queue
        self.calls = calls
    }
    func redPointDidReceive(_ number: Int) {
        dispatchPrecondition(condition: .onQueue(queue))
        calls.hear("\(queue.label) \(number)")
    }
}
