import Testing

@testable import Broadcasting

@Suite struct ValueStateTests {
    @Test func `who sets while nobody announces announces, and what is set meanwhile`() throws {
        var state = ValueState(Box(0))
        let message = state.set(Box(1))
        let first = try #require(message)
        #expect(first.announcement.version == 1)
        #expect(first.announcement.value(as: Int.self) == 1)
        #expect(first.announcement.isNews(to: Int.self))
        #expect(first.to == nil)

        #expect(state.set(Box(2)) == nil)
        #expect(state.set(Box(2)) == nil)
        let later = state.next().map { $0.announcement }
        #expect(later.map { $0.version } == [2, 3])
        #expect(later.map { $0.isNews(to: Int.self) } == [true, false])
        #expect(state.next().isEmpty)
        #expect(state.set(Box(4))?.announcement.version == 4)
    }

    @Test func `a greeting takes its place among the settings, and tells what was set before it`() throws {
        let registration = ObserverTable<SoleKey, Announcement>().register(SoleKey()) { _ in }
        var state = ValueState(Box("a"))
        let message = state.greet(registration)
        let greeting = try #require(message)
        #expect(greeting.announcement.isGreeting)
        #expect(greeting.announcement.value(as: String.self) == "a")
        #expect(greeting.to == registration)

        #expect(state.set(Box("b")) == nil)
        #expect(state.greet(registration) == nil)
        #expect(state.set(Box("c")) == nil)
        let later = state.next().map { $0.announcement }
        #expect(later.map { $0.value(as: String.self) } == ["b", "b", "c"])
        #expect(later.map { $0.isGreeting } == [false, true, false])
        #expect(state.version == 2)
    }
}
