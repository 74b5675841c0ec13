import Locking
import Testing

@testable import Broadcasting

/// An action is a stranger's: it may hash badly, and do anything while it is hashed, compared or released.
@Suite struct ActionKeyTests {
    let center = ActionCenter()
    let observer = Recorder<String>()

    /// Actions that all have the same hash.
    struct Clash: Action {
        let name: String
        func hash(into hasher: inout Hasher) {}
    }

    @Test(arguments: 1...5)
    func `actions of one hash are told apart, whatever comes and goes`(seed: Int) {
        var expected: [String: Set<Int>] = [:]
        let observers = (0..<3).map { _ in Recorder<String>() }
        var random = Steps(state: UInt64(seed))
        for _ in 0..<600 {
            let name = ["a", "b", "c", "d"].randomElement(using: &random)!
            let index = Int.random(in: 0..<3, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0, 1:
                center.on(Clash(name: name), observer: observers[index], deliver: .immediate) { me, _ in me.hear(name) }
                expected[name, default: []].insert(index)
            case 2:
                center.remove(Clash(name: name), observer: observers[index])
                expected[name]?.remove(index)
            default:
                let before = observers.map(\.values.count)
                center.send(Clash(name: name))
                for (index, observer) in observers.enumerated() {
                    let heard = Array(observer.values[before[index]...])
                    #expect(heard == (expected[name]?.contains(index) == true ? [name] : []))
                }
            }
            #expect(center.table.registrationCount == expected.values.map(\.count).reduce(0, +))
        }
        for observer in observers { center.remove(observer: observer) }
        #expect(!center.actions.hasCollisions)
        #expect(center.table.keys.isEmpty)
    }

    @Test func `actions of one hash keep their observers, with eight threads at them`() async {
        let center = center
        let steady = (0..<4).map { _ in Recorder<String>() }
        for (number, observer) in steady.enumerated() {
            center.on(Clash(name: "\(number)"), observer: observer, deliver: .immediate) { me, payload in
                me.hear(payload["name"] as? String ?? "")
            }
        }
        await onThreads(8) { thread in
            let passing = Recorder<String>()
            for round in 0..<200 {
                let name = "\((thread + round) % 6)"
                center.on(Clash(name: name), observer: passing, deliver: .immediate) { me, payload in
                    me.hear("\(payload["name"] as? String == name)")
                }
                center.send(Clash(name: name), payload: ["name": name])
                center.remove(Clash(name: name), observer: passing)
            }
            #expect(passing.values.allSatisfy { $0 == "true" })
            #expect(passing.values.count >= 200)
        }
        for (number, observer) in steady.enumerated() {
            #expect(observer.values.allSatisfy { $0 == "\(number)" })
            #expect(observer.values.count > 200)
        }
        #expect(center.table.registrationCount == 4)
    }

    @Test func `an action is kept while something is registered for it, and no longer`() {
        final class Noted: Action {
            static func == (left: Noted, right: Noted) -> Bool { true }
            func hash(into hasher: inout Hasher) {}
        }
        weak var noted: Noted?
        func register() {
            let action = Noted()
            noted = action
            center.on(action, observer: observer, deliver: .immediate) { me, _ in me.hear("noted") }
        }
        register()
        #expect(noted != nil)
        center.send(Noted())
        #expect(observer.values == ["noted"])
        center.remove(Noted(), observer: observer)
        #expect(noted == nil)

        register()
        center.remove(observer: observer)
        #expect(noted == nil)

        let passing = Recorder<String>()
        center.on(Noted(), observer: passing, deliver: .immediate) { me, _ in me.hear("passing") }
        center.send(Noted())
        #expect(passing.values == ["passing"])
    }

    /// It posts whenever its code runs, from another thread, too, which waits for ever if a lock is held.
    @Test(.timeLimit(.minutes(2)), arguments: [false, true])
    func `no code of an action runs while a lock is held`(clashes: Bool) {
        let heard = Recorder<Bool>()
        let center = center
        let probe: @Sendable () -> Void = {
            center.send("probe")
            heard.hear(
                finishesOnAnotherThread {
                    let other = Recorder<Int>()
                    center.on("probe", observer: other, deliver: .immediate) { _, _ in }
                    center.on(Clash(name: "probe"), observer: other, deliver: .immediate) { _, _ in }
                    center.send(Clash(name: "probe"))
                    center.remove(observer: other)
                }
            )
        }
        func action(_ name: String) -> Probing { Probing(name, clashes: clashes, probe) }

        let observer = Recorder<String>()
        center.on(action("a"), observer: observer, deliver: .immediate) { me, _ in me.hear("a") }
        center.on(action("b"), observer: observer, deliver: .background) { me, _ in me.hear("b") }
        center.on(action("a"), observer: observer, deliver: .immediate) { me, _ in me.hear("again") }
        center.send(action("a"))
        center.remove(action("a"), observer: observer)
        center.send(action("a"))
        center.on(action("a"), observer: observer, deliver: .immediate) { me, _ in me.hear("a") }
        center.remove(observer: observer)

        // Those that are met dead by a post, by a sweep, or as a lifetime ends.
        final class Mortal: Sendable, LifetimeOwner {
            let lifetime = Lifetime()
        }
        center.on(action("c"), observer: Recorder<Int>(), deliver: .immediate) { _, _ in }
        center.send(action("c"))
        for number in 0..<20 {
            center.on(action("\(number)"), observer: Recorder<Int>(), deliver: .immediate) { _, _ in }
        }
        for _ in 0..<20 { center.on("sweep", observer: observer, deliver: .immediate) { _, _ in } }
        center.on(action("d"), observer: Mortal(), deliver: .immediate) { _, _ in }
        // In a dictionary that grows and shrinks.
        for number in 0..<30 {
            center.on(action("\(number)"), observer: observer, deliver: .immediate) { _, _ in }
        }
        center.remove(observer: observer)

        #expect(observer.values == ["again"])
        #expect(center.table.registrationCount == 0)
        #expect(heard.values.count > 100)
        #expect(heard.values.allSatisfy { $0 })
    }
}

/// Posts when it is hashed, compared and released.
private final class Probing: Action {
    let name: String
    let clashes: Bool
    let probe: @Sendable () -> Void

    init(_ name: String, clashes: Bool, _ probe: @escaping @Sendable () -> Void) {
        self.name = name
        self.clashes = clashes
        self.probe = probe
    }

    deinit { probe() }

    func hash(into hasher: inout Hasher) {
        probe()
        hasher.combine(clashes ? String(name.count) : name)
    }

    static func == (left: Probing, right: Probing) -> Bool {
        left.probe()
        return left.name == right.name
    }
}

/// A generator that gives the same numbers for the same seed.
private struct Steps: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 33)
    }
}
