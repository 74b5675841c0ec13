import Testing

@testable import Locking

@Suite(.timeLimit(.minutes(1))) struct SerialGateTests {
    private let gate = SerialGate()
    private let order = Order()

    /// In which order operations were let through.
    private final class Order: Sendable {
        private let names = Lock<[String]>([])

        func add(_ name: String) { names.withLock { $0.append(name) } }
        var all: [String] { names.withLock { $0 } }
    }

    /// Has operations wait in this order behind one that ends when all of them wait.
    ///
    /// - Parameter names: those of low priority begin with "low".
    private func letThrough(_ names: [String]) async {
        await withTaskGroup { group in
            let isOpen = Lock(false)
            group.addTask { [gate] in
                await gate.run { while !isOpen.withLock({ $0 }) { await Task.yield() } }
            }
            while !gate.isBusy { await Task.yield() }
            for (number, name) in names.enumerated() {
                group.addTask { [gate, order] in
                    await gate.run(isLow: name.hasPrefix("low")) { order.add(name) }
                }
                while gate.waitingCount <= number { await Task.yield() }
            }
            isOpen.withLock { $0 = true }
        }
    }

    @Test func `operations are let through in order of arrival`() async {
        let names = (1...20).map(String.init)
        await letThrough(names)
        #expect(order.all == names)
        #expect(!gate.isBusy)
    }

    @Test func `what comes later goes before what has low priority`() async {
        await letThrough(["low 1", "low 2", "a", "low 3", "b"])
        #expect(order.all == ["a", "b", "low 1", "low 2", "low 3"])
    }

    @Test func `what has low priority does not wait for ever`() async {
        let most = SerialGate.mostOvertaking
        let others = (1...2 * most + 1).map(String.init)
        await letThrough(["low 1", "low 2", "low 3"] + others)
        var expected = others
        expected.insert("low 2", at: 2 * most)
        expected.insert("low 1", at: most)
        #expect(order.all == expected + ["low 3"])
    }

    @Test func `an operation that throws lets the next one through`() async {
        struct Failure: Error {}
        for isLow in [false, true] {
            await #expect(throws: Failure.self) { try await gate.run(isLow: isLow) { throw Failure() } }
        }
        await letThrough(["low", "a"])
        #expect(order.all == ["a", "low"])
    }
}
