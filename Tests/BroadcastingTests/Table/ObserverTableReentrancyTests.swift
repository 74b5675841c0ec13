import Testing

@testable import Broadcasting

/// Promise 4, inside handlers: no deadlock, no exclusivity trap, and a change counts from the next notification.
@Suite struct ObserverTableReentrancyTests {
    let table = ObserverTable<String, Int>()

    @Test(arguments: DeliveryMode.allCases)
    func `a handler may register, notify, unregister others and itself`(mode: DeliveryMode) async {
        let table = table
        let owner = Recorder<Int>()
        let late = Recorder<Int>()
        table.register("a", owner: owner, deliver: mode.delivery) { owner, value in
            owner.hear(value)
            if value == 1 {
                table.register("a", owner: late, deliver: mode.delivery) { $0.hear($1) }
                table.register("b", owner: owner, deliver: mode.delivery) { $0.hear($1 * 10) }
                table.notify("b", 1)
                table.notify("a", 2)
            }
            if value == 2 {
                table.removeAll(ownedBy: owner)
                table.removeAll("b")
                table.notify("a", 3)
            }
        }
        table.notify("a", 1)
        await eventually("all is heard") { late.values.count == 2 && owner.values.count == 3 }
        #expect(owner.values == [1, 10, 2])
        // Who is called at once hears what is posted inside a notification before the rest of it.
        #expect(late.values == (mode == .immediate ? [3, 2] : [2, 3]))
        #expect(table.registrationCount == 1)
    }

    @Test func `who is unregistered during a notification still hears this one, who registers does not`() {
        let table = table
        let first = Recorder<Int>()
        let second = Recorder<Int>()
        let third = Recorder<Int>()
        table.register("a", owner: first) { owner, value in
            owner.hear(value)
            table.removeAll(ownedBy: second)
            table.register("a", owner: third, replacing: .sameOwner) { $0.hear($1) }
        }
        table.register("a", owner: second) { $0.hear($1) }
        table.notify("a", 1)
        #expect(second.values == [1])
        #expect(third.values.isEmpty)
        table.notify("a", 2)
        #expect(second.values == [1])
        #expect(third.values == [2])
    }

    @Test func `who dies during a notification is not called any more`() {
        let table = table
        let heard = Recorder<Int>()
        let first = Recorder<Int>()
        nonisolated(unsafe) var second = Optional(Recorder<Int>())  // Unsafe: used on this thread only.
        table.register("a", owner: first) { _, _ in unsafe second = nil }
        table.register("a", owner: unsafe second!) { _, value in heard.hear(value) }
        table.notify("a", 1)
        #expect(heard.values.isEmpty)
        withExtendedLifetime(first) {}
    }

    @Test(arguments: DeliveryMode.allCases)
    func `no lock is held while a handler runs`(mode: DeliveryMode) async {
        let table = table
        let owner = Recorder<Bool>()
        table.register("a", owner: owner, deliver: mode.delivery) { owner, _ in
            owner.hear(
                finishesOnAnotherThread {
                    let registration = table.register("a") { _ in }
                    table.notify("b", 1)
                    table.remove(registration)
                }
            )
        }
        table.notify("a", 1)
        await eventually("the handler ran") { owner.values.count == 1 }
        #expect(owner.values == [true])
    }

    @Test func `no lock is held while a handler is released`() {
        final class Captured: Sendable {
            let table: ObserverTable<String, Int>
            let heard: Recorder<Bool>
            init(_ table: ObserverTable<String, Int>, _ heard: Recorder<Bool>) {
                self.table = table
                self.heard = heard
            }
            deinit {
                let table = table
                heard.hear(finishesOnAnotherThread { table.register("other") { _ in } })
            }
        }
        let heard = Recorder<Bool>()
        let owner = Recorder<Int>()
        @discardableResult func register(_ owner: Recorder<Int>) -> Registration<String> {
            let captured = Captured(table, heard)
            return table.register("a", owner: owner, replacing: .sameOwner) { _, _ in
                withExtendedLifetime(captured) {}
            }
        }
        table.remove(register(owner))
        table.token(for: register(owner)).cancel()
        register(owner)
        register(owner)  // replaces
        table.removeAll(ownedBy: owner)
        register(owner)
        table.removeAll(ownedBy: owner, from: "a")
        register(owner)
        table.removeAll("a")
        register(Recorder())
        table.notify("a", 1)
        for _ in 0..<100 { register(Recorder()) }  // swept
        table.removeAll("a")
        #expect(heard.values.count == 107)
        #expect(heard.values.allSatisfy { $0 })
    }

    @Test func `an observer may use the table while it dies`() {
        final class Observer: Sendable {
            let table: ObserverTable<String, Int>
            init(_ table: ObserverTable<String, Int>) {
                self.table = table
                table.register("a", owner: self) { _, _ in }
                table.register("b", owner: self) { _, _ in }
            }
            deinit {
                table.removeAll(ownedBy: self, from: "a")
                table.notify("b", 1)
                table.register("c", owner: self) { _, _ in }
                table.removeAll(ownedBy: self)
            }
        }
        for _ in 0..<100 { _ = Observer(table) }
        #expect(table.registrationCount == 0)
    }
}
