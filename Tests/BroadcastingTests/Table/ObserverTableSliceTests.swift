import Testing

@testable import Broadcasting

/// Promise 10: whoever posts to another key waits for a slice of the entries, however many are to go.
@Suite struct ObserverTableSliceTests {
    /// Everything that removes many at once.
    enum Removal: CaseIterable {
        case notification, ofKey, ofOwner, ofOwnerUnderKey, lifetime, sweep
    }

    /// Handlers are released when the lock is free, so what each finds registered tells what went before it in one go.
    @Test(arguments: Removal.allCases)
    func `many entries are removed in slices, between which the lock is free`(removal: Removal) {
        final class Handled: Sendable {
            let table: ObserverTable<String, Int>
            let left: Recorder<Int>
            init(_ table: ObserverTable<String, Int>, _ left: Recorder<Int>) {
                self.table = table
                self.left = left
            }
            deinit { left.hear(table.registrationCount) }
        }
        final class Owner: Sendable, LifetimeOwner {
            let lifetime = Lifetime()
        }
        let table = ObserverTable<String, Int>()
        let left = Recorder<Int>()
        let owner = Recorder<Int>()
        var mortal = Optional(Owner())
        let count = 5_000
        var crowd: [Recorder<Int>] = []
        for number in 0..<count {
            let handled = Handled(table, left)
            switch removal {
            case .notification, .ofKey, .sweep:
                crowd.append(Recorder())
                table.register("a", owner: crowd[number]) { _, _ in withExtendedLifetime(handled) {} }
            case .ofOwner:
                table.register("\(number % 1_000)", owner: owner) { _, _ in withExtendedLifetime(handled) {} }
            case .ofOwnerUnderKey:
                table.register("a", owner: owner) { _, _ in withExtendedLifetime(handled) {} }
            case .lifetime:
                table.register("a", owner: mortal!) { _, _ in withExtendedLifetime(handled) {} }
            }
        }
        if removal != .ofKey { crowd = [] }
        #expect(table.registrationCount == count)

        switch removal {
        case .notification: table.notify("a", 1)
        case .ofKey: table.removeAll("a")
        case .ofOwner: table.removeAll(ownedBy: owner)
        case .ofOwnerUnderKey: table.removeAll(ownedBy: owner, from: "a")
        case .lifetime: mortal = nil
        case .sweep:
            let steady = Recorder<Int>()
            for _ in 0..<count where table.registrationCount > 0 {
                table.remove(table.register("b", owner: steady) { _, _ in })
            }
        }
        #expect(left.values.count == count)
        #expect(table.registrationCount == 0)
        let steps = zip([count] + left.values, left.values).map { $0 - $1 }
        #expect(steps.max() ?? 0 <= Registry<String, Int>.slice + ObserverTable<String, Int>.sweepStep)
        withExtendedLifetime((owner, mortal, crowd)) {}
    }

    @Test func `a registration does no more than a few slices of sweeping`() {
        let table = ObserverTable<String, Int>()
        var crowd = (0..<10_000).map { _ in Recorder<Int>() }
        for owner in crowd { table.register("a", owner: owner) { _, _ in } }
        crowd = []
        let steady = Recorder<Int>()
        var before = table.registrationCount
        for _ in 0..<10_000 where before > 0 {
            table.remove(table.register("b", owner: steady) { _, _ in })
            let after = table.registrationCount
            #expect(before - after <= 2 * ObserverTable<String, Int>.sweepLimit)
            before = after
        }
        #expect(before == 0, "but all are found")
        withExtendedLifetime(steady) {}
    }

    /// 20,000 took 43 seconds under the lock.
    @Test(.timeLimit(.minutes(1)))
    func `one observer's registrations end one by one, each in time that does not depend on the others`() {
        let observer = Recorder<Int>()
        let clock = ContinuousClock()

        let center = ActionCenter()
        let names = (0..<20_000).map { "name \($0)" }
        for name in names { center.on(name, observer: observer, deliver: .immediate) { _, _ in } }
        #expect(
            clock.measure { for name in names.shuffled() { center.remove(name, observer: observer) } } < .seconds(8)
        )
        #expect(center.table.registrationCount == 0)

        let value = ObservableValue(0)
        var tokens = (0..<20_000).map { _ in value.observe { _ in } }
        #expect(clock.measure { while !tokens.isEmpty { tokens.removeLast() } } < .seconds(8))
        #expect(value.table.registrationCount == 0)

        let table = ObserverTable<Int, Int>()
        let registrations = (0..<20_000).map { _ in table.register(1, owner: observer) { _, _ in } }
        #expect(
            clock.measure { for registration in registrations.shuffled() { table.remove(registration) } } < .seconds(8)
        )
        #expect(table.registrationCount == 0)

        for key in 0..<20_000 {
            table.register(key, owner: observer) { _, _ in }
            table.register(key, owner: observer) { _, _ in }
        }
        let time = clock.measure {
            for key in 0..<20_000 { #expect(table.removeAll(ownedBy: observer, from: key) == 2) }
        }
        #expect(time < .seconds(8))
        #expect(table.registrationCount == 0)
    }
}
