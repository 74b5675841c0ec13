import Testing

@testable import Broadcasting

@Suite struct ObserverTableOwnershipTests {
    let table = ObserverTable<String, Int>()

    // MARK: Promise 1: observers are not retained

    @Test(arguments: DeliveryMode.allCases)
    func `an observer is released although it is registered, and not called again`(mode: DeliveryMode) async {
        let heard = Recorder<Int>()
        weak var weakObserver: Recorder<Int>?
        do {
            let observer = Recorder<Int>()
            weakObserver = observer
            table.register("a", owner: observer, deliver: mode.delivery) { _, value in heard.hear(value) }
            table.notify("a", 1)
            await eventually("the living observer hears") { heard.values == [1] }
        }
        await eventually("the observer is released") { weakObserver == nil }
        table.notify("a", 2)
        #expect(table.registrationCount == 0, "the notification met the dead entry and removed it")
        #expect(table.keys.isEmpty)
        #expect(heard.values == [1])
    }

    @Test func `an actor that owns its observer is released although the observer is called on it`() async {
        actor Model {
            let observer = Recorder<Int>()
            init(_ table: ObserverTable<String, Int>) {
                table.register("a", owner: observer, deliver: .actor(self)) { $0.hear($1) }
            }
        }
        weak var weakModel: Model?
        do {
            let model = Model(table)
            weakModel = model
            table.notify("a", 1)
            await eventually("the observer hears on its actor") { model.observer.values == [1] }
        }
        await eventually("the actor is released") { weakModel == nil }
    }

    @Test func `a registration ends with the actor it delivers on`() async {
        let observer = Recorder<Int>()
        weak var weakDesk: Desk?
        do {
            let desk = Desk()
            weakDesk = desk
            table.register("a", owner: observer, deliver: .actor(desk)) { $0.hear($1) }
        }
        await eventually("the actor is released") { weakDesk == nil }
        table.notify("a", 1)
        #expect(table.registrationCount == 0)
        #expect(observer.values.isEmpty)
    }

    // MARK: Promise 2: entries go, and memory with them

    @Test func `a token that the observer stores takes the entry along at once`() {
        final class Observer: Sendable {
            let tokens = Recorder<ObservationToken>()
        }
        do {
            let observer = Observer()
            for key in ["a", "a", "b"] {
                observer.tokens.hear(table.token(for: table.register(key, owner: observer) { _, _ in }))
            }
            #expect(table.registrationCount == 3)
        }
        #expect(table.registrationCount == 0)
        #expect(table.keys.isEmpty)
    }

    @Test func `a lifetime that the observer stores takes the entries along at once, in every table`() {
        final class Observer: Sendable, LifetimeOwner {
            let lifetime = Lifetime()
        }
        let other = ObserverTable<Int, Int>()
        let stranger = Recorder<Int>()
        table.register("a", owner: stranger) { $0.hear($1) }
        do {
            let observer = Observer()
            for key in ["a", "a", "b"] { table.register(key, owner: observer) { _, _ in } }
            other.register(1, owner: observer) { _, _ in }
            #expect(table.registrationCount == 4)
            #expect(other.registrationCount == 1)
        }
        #expect(table.registrationCount == 1)
        #expect(other.registrationCount == 0)
    }

    @Test func `entries of dead observers are swept, also under keys nobody uses again`() {
        var greatest = 0
        for number in 0..<100_000 {
            table.register("\(number)", owner: Recorder<Int>()) { $0.hear($1) }
            greatest = max(greatest, table.registrationCount)
        }
        #expect(greatest <= SweepSchedule.minimum + 1)

        let survivors = (0..<1_000).map { _ in Recorder<Int>() }
        for survivor in survivors { table.register("a", owner: survivor) { $0.hear($1) } }
        for _ in 0..<100_000 {
            table.register("a", owner: Recorder<Int>()) { $0.hear($1) }
            greatest = max(greatest, table.registrationCount)
        }
        #expect(greatest <= 2 * (survivors.count + SweepSchedule.minimum) + 1)
        #expect(table.count(of: "a") == survivors.count)
        withExtendedLifetime(survivors) {}
    }

    // MARK: Promise 3: identity

    @Test func `as long as dead observers' entries stand, they stand for nobody else`() {
        let heard = Recorder<Int>()
        var dead = (0..<10).map { _ in Recorder<Int>() }
        let addresses = Set(dead.map { ObjectIdentifier($0) })
        for observer in dead { table.register("a", owner: observer, replacing: .sameOwner) { heard.hear($1) } }
        dead = []

        let others = (0..<1_000).map { _ in Recorder<Int>() }
        #if !canImport(ObjectiveC)
            #expect(addresses.isDisjoint(with: others.map { ObjectIdentifier($0) }), "the entries keep the addresses")
        #endif
        #expect(table.count(of: "a") == 0)
        #expect(table.isEmpty("a"))
        for other in others { table.register("b", owner: other, replacing: .sameOwner) { $0.hear($1) } }
        table.notify("a", 1)
        table.notify("b", 2)
        #expect(others.allSatisfy { $0.values == [2] })
        #expect(heard.values.isEmpty)
        #expect(table.registrationCount == others.count)
    }

    @Test(.disabled(if: addressSanitizerKeepsAddresses))
    func `an object at a dead observer's address is a new observer`() throws {
        try whenReused {
            var dead = Optional(Recorder<Int>())
            let address = ObjectIdentifier(dead!)
            let registration = table.register("a", owner: dead!, replacing: .sameOwner) { $0.hear(-$1) }
            let token = table.token(for: registration)
            dead = nil
            table.notify("a", 0)  // meets the entry, which goes, and with it the last claim on the memory

            let heir = try object(at: address) { Recorder<Int>() }
            table.notify("a", 1)
            #expect(heir.values.isEmpty, "the new object inherits no registration")

            table.register("a", owner: heir, replacing: .sameOwner) { $0.hear($1) }
            table.register("b", owner: heir, replacing: .sameOwner) { $0.hear($1) }
            // The dead one's token and registration end nothing of the heir's.
            token.cancel()
            #expect(!table.remove(registration))
            table.notify("a", 2)
            table.notify("b", 3)
            #expect(heir.values == [2, 3])
            #expect(table.registrationCount == 2)
        }
    }

    @Test(.disabled(if: addressSanitizerKeepsAddresses))
    func `a lifetime that outlives its owner spares the object at the owner's address`() throws {
        try whenReused {
            final class Observer: Sendable, LifetimeOwner {
                let lifetime: Lifetime
                private let size = SizeOfItsOwn()
                init(_ lifetime: Lifetime) { self.lifetime = lifetime }
            }
            var kept = Optional(Lifetime())
            var dead = Optional(Observer(kept!))
            let address = ObjectIdentifier(dead!)
            table.register("a", owner: dead!) { _, _ in }
            dead = nil
            table.notify("a", 0)  // meets the entry, which goes; the lifetime still knows the address
            let heir = try object(at: address) { Observer(Lifetime()) }
            let registration = table.register("a", owner: heir) { _, _ in }
            kept = nil
            #expect(table.registrationCount == 1)
            #expect(table.remove(registration))
        }
    }

    // MARK: Promise 7: handlers

    @Test func `a handler is released with its registration, however that ends`() {
        final class Captured: Sendable {}
        let owner = Recorder<Int>()
        weak var captured: Captured?
        func register(_ owner: Recorder<Int>) -> Registration<String> {
            let object = Captured()
            captured = object
            return table.register("a", owner: owner, replacing: .sameOwner) { _, _ in
                withExtendedLifetime(object) {}
            }
        }

        table.remove(register(owner))
        #expect(captured == nil, "removed")

        let token = table.token(for: register(owner))
        #expect(captured != nil)
        token.cancel()
        #expect(captured == nil, "cancelled")

        _ = register(owner)
        table.removeAll(ownedBy: owner)
        #expect(captured == nil, "removed by owner")

        let held = table.token(for: register(owner))
        table.removeAll("a")
        #expect(captured == nil, "removed by key, although the token still lives")
        withExtendedLifetime(held) {}

        _ = register(owner)
        table.register("a", owner: owner, replacing: .sameOwner) { _, _ in }
        #expect(captured == nil, "replaced")

        _ = register(Recorder<Int>())
        table.notify("a", 1)
        #expect(captured == nil, "met by a notification after its owner died")
    }

    @Test func `a handler that ends its own registration lives until it returns`() {
        final class Captured: Sendable {}
        let owner = Recorder<Int>()
        weak var captured: Captured?
        let table = table
        do {
            let object = Captured()
            captured = object
            table.register("a", owner: owner) { owner, value in
                table.removeAll("a")
                withExtendedLifetime(object) { owner.hear(value) }
            }
        }
        table.notify("a", 1)
        #expect(owner.values == [1])
        #expect(captured == nil)
    }
}
