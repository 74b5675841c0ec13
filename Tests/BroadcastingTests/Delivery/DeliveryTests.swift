import Dispatch
import Synchronization
import Testing

@testable import Broadcasting

@Suite struct DeliveryTests {
    let table = ObserverTable<String, Int>()

    // MARK: Promise 8: where

    @Test func `immediate delivery has happened when the poster goes on`() {
        let observer = Recorder<Int>()
        table.register("a", owner: observer, deliver: .immediate) { $0.hear($1) }
        table.notify("a", 1)
        #expect(observer.values == [1])
    }

    @Test func `main delivery happens on the main actor, never before the poster goes on`() async {
        let observer = Recorder<Int>()
        table.register("a", owner: observer, deliver: .main) { observer, value in
            MainActor.assertIsolated()
            observer.hear(value)
        }
        await MainActor.run {
            table.notify("a", 1)
            #expect(observer.values.isEmpty)
        }
        await eventually("the main actor delivers") { observer.values == [1] }
    }

    @Test func `background delivery happens off the poster's thread`() async {
        let observer = Recorder<Bool>()
        let table = table
        await onThreads(1) { _ in
            let isFree = DispatchSemaphore(value: 0)
            table.register("a", owner: observer, deliver: .background) { observer, _ in
                // The poster waits for this one.
                observer.hear(true)
                isFree.signal()
            }
            table.notify("a", 1)
            #expect(isFree.wait(timeout: .now() + 60) == .success)
        }
        #expect(observer.values == [true])
    }

    @Test func `queue delivery happens on the queue`() async {
        let observer = Recorder<Int>()
        let queue = DispatchQueue(label: "observer")
        table.register("a", owner: observer, deliver: .queue(queue)) { observer, value in
            dispatchPrecondition(condition: .onQueue(queue))
            observer.hear(value)
        }
        table.notify("a", 1)
        await eventually("the queue delivers") { observer.values == [1] }
    }

    @Test func `actor delivery happens on the actor`() async {
        let observer = Recorder<Int>()
        let desk = Desk()
        table.register("a", owner: observer, deliver: .actor(desk)) { [weak desk] observer, value in
            desk?.assertIsolated()
            observer.hear(value)
        }
        table.notify("a", 1)
        await eventually("the actor delivers") { observer.values == [1] }
        withExtendedLifetime(desk) {}
    }

    @Test func `an actor may be the observer and be called on itself`() async {
        actor Model {
            var heard: [Int] = []
            func hear(_ value: Int) { heard.append(value) }
        }
        let model = Model()
        table.register("a", owner: model, deliver: .actor(model)) { model, value in
            model.assumeIsolated { $0.hear(value) }
        }
        for value in 0..<10 { table.notify("a", value) }
        while await model.heard.count < 10 { await Task.yield() }
        #expect(await model.heard == Array(0..<10))
    }

    // MARK: Promise 6: order

    @Test(arguments: DeliveryMode.allCases)
    func `an observer hears in the order of posting, across its keys and registrations`(mode: DeliveryMode) async {
        let observers = (0..<5).map { _ in Recorder<Int>() }
        let keys = ["a", "b", "c"]
        for observer in observers {
            for key in keys { table.register(key, owner: observer, deliver: mode.delivery) { $0.hear($1) } }
        }
        for value in 0..<1_000 {
            table.notify(keys[value % 3], value)
            if value % 97 == 0 { await Task.yield() }
        }
        for observer in observers {
            await eventually("all is heard") { observer.values.count == 1_000 }
            #expect(observer.values == Array(0..<1_000))
        }
    }

    @Test(arguments: DeliveryMode.handingOver)
    func `calls of one observer do not overlap, whoever posts`(mode: DeliveryMode) async {
        final class Observer: Sendable {
            let isCalled = Atomic(false)
            let calls = Atomic(0)
        }
        let table = table
        let observer = Observer()
        table.register("a", owner: observer, deliver: mode.delivery) { observer, _ in
            let overlaps = observer.isCalled.exchange(true, ordering: .relaxed)
            #expect(!overlaps)
            observer.calls.add(1, ordering: .relaxed)
            observer.isCalled.store(false, ordering: .relaxed)
        }
        await onThreads(4) { thread in
            for _ in 0..<500 { table.notify("a", thread) }
        }
        await eventually("all is heard") { observer.calls.load(ordering: .relaxed) == 2_000 }
    }

    @Test(arguments: DeliveryMode.handingOver)
    func `each poster's notifications keep their order when several post at once`(mode: DeliveryMode) async {
        let table = table
        let observer = Recorder<Int>()
        table.register("a", owner: observer, deliver: mode.delivery) { $0.hear($1) }
        await onThreads(4) { thread in
            for value in 0..<500 { table.notify("a", thread * 1_000 + value) }
        }
        await eventually("all is heard") { observer.values.count == 2_000 }
        for thread in 0..<4 {
            #expect(observer.values.filter { $0 / 1_000 == thread } == (0..<500).map { thread * 1_000 + $0 })
        }
    }

    @Test func `a replacement goes on in the order of what it replaces`() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let observer = Recorder<Int>()
        for value in 0..<500 {
            table.register("a", owner: observer, replacing: .sameOwner, deliver: .queue(queue)) { $0.hear($1) }
            table.notify("a", value)
            table.register("n", name: "log", deliver: .queue(queue)) { _ in }
        }
        await eventually("all is heard") { observer.values.count == 500 }
        #expect(observer.values == Array(0..<500))
    }

    @Test func `a slow observer does not hold up another one on a concurrent queue`() async {
        let queue = DispatchQueue(label: "concurrent", attributes: .concurrent)
        let isOver = DispatchSemaphore(value: 0)
        let slow = Recorder<Int>()
        let quick = Recorder<Int>()
        table.register("a", owner: slow, deliver: .queue(queue)) { observer, value in
            isOver.wait()
            observer.hear(value)
        }
        table.register("a", owner: quick, deliver: .queue(queue)) { $0.hear($1) }
        table.notify("a", 1)
        await eventually("the quick one hears") { quick.values == [1] }
        #expect(slow.values.isEmpty)
        isOver.signal()
        await eventually("the slow one hears") { slow.values == [1] }
    }

    @Test func `a handler waits in its strand no longer than its calls`() async {
        final class Captured: Sendable {}
        let queue = DispatchQueue(label: "held up")
        let observer = Recorder<Int>()
        weak var captured: Captured?
        queue.suspend()
        do {
            let object = Captured()
            captured = object
            table.register("a", owner: observer, deliver: .queue(queue)) { _, _ in withExtendedLifetime(object) {} }
        }
        table.notify("a", 1)
        table.removeAll("a")
        #expect(captured != nil)
        queue.resume()
        await eventually("the handler is released") { captured == nil }
    }
}
