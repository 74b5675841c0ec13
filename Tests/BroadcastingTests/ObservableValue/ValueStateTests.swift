import Testing

@testable import Broadcasting

@Suite struct ValueStateTests {
    private let me = ThreadIdentity(number: 1)
    private let other = ThreadIdentity(number: 2)
    private let start = ContinuousClock.now

    @Test func `who sets while nobody announces announces, and what is set meanwhile`() throws {
        let state = Machine(0)
        let first = try #require(state.set(1, by: me))
        #expect(first.version == 1)
        #expect(first.number == 1)
        #expect(first.isNews(to: Int.self))

        #expect(state.set(2, by: me) == nil)
        #expect(state.set(2, by: other) == nil)
        let second = try #require(state.step(start))
        let third = try #require(state.step(start))
        #expect([second, third].map(\.version) == [2, 3])
        #expect([second, third].map { $0.isNews(to: Int.self) } == [true, false])
        #expect(state.step(start) == nil)
        #expect(state.set(4, by: other)?.version == 4)
    }

    @Test func `a greeting takes its place among the settings, and tells what was set before it`() throws {
        let registration = ObserverTable<SoleKey, Announcement>().register(SoleKey()) { _ in }
        let state = Machine(0)
        #expect(state.greet(registration, by: me))
        #expect(state.set(1, by: me) == nil)
        #expect(!state.greet(registration, by: me))
        #expect(state.set(2, by: me) == nil)
        let later = try (0..<3).map { _ in try #require(state.step(start)) }
        #expect(later.map(\.number) == [1, 1, 2])
        #expect(later.map(\.isGreeting) == [false, true, false])
        #expect(state.state.version == 2)
    }

    @Test func `what others set is announced for a while only, and then by a task or who sets next`() throws {
        let state = Machine(0)
        _ = state.set(1, by: me)
        for number in 2...6 { #expect(state.set(number, by: other) == nil) }
        #expect(state.step(start)?.number == 2)
        #expect(state.step(start + ValueState.announcingTime / 2)?.number == 3)
        #expect(state.isHandedOver(start + ValueState.announcingTime))
        let later = start + .seconds(60)
        #expect(state.takeOver(by: other, now: later)?.number == 4)
        #expect(state.takeOver(by: me, now: later) == nil, "one announces at a time")

        #expect(state.step(later)?.number == 5)
        #expect(state.isHandedOver(start + .seconds(120)))
        #expect(state.set(7, by: me, now: start + .seconds(180))?.number == 6, "the order is that of the settings")
        #expect(state.takeOver(by: other, now: start + .seconds(180)) == nil)
        #expect(state.step(start + .seconds(180))?.number == 7)
        #expect(state.step(start + .seconds(240)) == nil)
        #expect(state.set(8, by: other)?.number == 8)
    }

    @Test func `what a setting leads to is announced by who made it, however long it takes`() throws {
        let state = Machine(0)
        _ = state.set(1, by: me)
        #expect(state.set(2, by: other) == nil)
        #expect(state.set(10, by: me) == nil, "set by an observer of 1")
        #expect(state.step(start)?.number == 2)
        #expect(state.set(20, by: me) == nil, "set by an observer of 2, so it is none of the setter's")
        #expect(state.step(start + .seconds(1))?.number == 10)
        #expect(state.set(11, by: me) == nil, "set by an observer of 10")
        #expect(state.step(start + .seconds(2))?.number == 20)
        #expect(state.step(start + .seconds(3))?.number == 11)
        #expect(state.set(3, by: other) == nil)
        #expect(state.step(start + .seconds(4))?.number == 3)
        #expect(state.set(4, by: other) == nil)
        #expect(state.isHandedOver(start + .seconds(5)))
    }

    @Test func `a change in place is one only if nobody else has the value`() {
        let state = Machine([1])
        #expect(state.append(2, by: me))
        let holder = state.state.current
        #expect(!state.append(3, by: me), "somebody has it")
        #expect(state.state.snapshot(of: [Int].self).value == [1, 2])
        withExtendedLifetime(holder) {}
    }
}

/// The machine with numbers, so that expectations may change it.
private final class Machine {
    var state: ValueState

    init(_ value: some Sendable) { state = ValueState(Snapshot(value)) }

    func set(_ number: Int, by thread: ThreadIdentity, now: ContinuousClock.Instant = .now) -> Announcement? {
        switch state.set(Snapshot(number), by: thread) {
        case .now(let announcement): return announcement
        case .next: return step(now)
        case .other: return nil
        }
    }

    /// Whether the caller greets at once.
    func greet(_ registration: Registration<SoleKey>, by thread: ThreadIdentity) -> Bool {
        if case .now = state.greet(registration, by: thread) { true } else { false }
    }

    /// Whether it could be done in place.
    func append(_ number: Int, by thread: ThreadIdentity) -> Bool {
        state.changeInPlace({ (value: inout [Int]) in value.append(number) }, by: thread) != nil
    }

    /// What is announced next, if anything.
    func step(_ now: ContinuousClock.Instant) -> Announcement? {
        if case .announce(let message) = state.proceed(now: now) { message.announcement } else { nil }
    }

    func isHandedOver(_ now: ContinuousClock.Instant) -> Bool {
        if case .handOver = state.proceed(now: now) { true } else { false }
    }

    func takeOver(by thread: ThreadIdentity, now: ContinuousClock.Instant) -> Announcement? {
        state.takeOver(by: thread) ? step(now) : nil
    }
}

extension Announcement {
    fileprivate var number: Int {
        var number = 0
        tell { number = $0 }
        return number
    }
}
