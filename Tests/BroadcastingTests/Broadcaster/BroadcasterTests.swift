import Testing

@testable import Broadcasting

@Suite struct BroadcasterTests {
    let broadcaster = Broadcaster()

    @Test func `a post calls every observer of the protocol, and no other`() {
        let labels = [Label(), Label()]
        let clock = Clock()
        for label in labels {
            broadcaster.register((any TitleUpdating).self, observer: label, deliver: .immediate)
        }
        broadcaster.register((any Ticking).self, observer: clock, deliver: .immediate)
        broadcaster.register((any Ticking).self, observer: labels[0], deliver: .immediate)

        broadcaster.notify((any TitleUpdating).self) { $0.update(title: "hello") }
        broadcaster.notify((any Ticking).self) { $0.tick() }

        #expect(labels.map(\.heard.values) == [["hello", "tick"], ["hello"]])
        #expect(clock.heard.values == ["tick"])
    }

    @Test func `observers are called through any kind of protocol, composition or class`() {
        let label = Label()
        broadcaster.register((any ClassBound).self, observer: label, deliver: .immediate)
        broadcaster.register((any TitleUpdating & Ticking).self, observer: label, deliver: .immediate)
        broadcaster.register(Label.self, observer: label, deliver: .immediate)
        broadcaster.notify((any ClassBound).self) { $0.bind() }
        broadcaster.notify((any TitleUpdating & Ticking).self) { both in
            both.tick()
            both.update(title: "both")
        }
        broadcaster.notify(Label.self) { $0.heard.hear("label") }
        broadcaster.notify((any TitleUpdating).self) { $0.update(title: "none") }
        #expect(label.heard.values == ["bind", "tick", "both", "label"])
    }

    @Test func `registering twice is one registration, with the delivery given last`() async {
        let label = Label()
        broadcaster.register((any TitleUpdating).self, observer: label, deliver: .immediate)
        broadcaster.register((any TitleUpdating).self, observer: label)
        #expect(broadcaster.count(of: (any TitleUpdating).self) == 1)
        await MainActor.run {
            broadcaster.notify((any TitleUpdating).self) { title in
                MainActor.assertIsolated()
                title.update(title: "main")
            }
            #expect(label.heard.values.isEmpty)
        }
        await eventually("main is the default") { label.heard.values == ["main"] }
    }

    @Test @MainActor func `what is posted on the main actor comes after what was handed over to it`() async {
        nonisolated func post(_ title: String) {
            broadcaster.notify(onMain: (any TitleUpdating).self) { $0.update(title: title) }
        }
        let label = Label()
        broadcaster.register((any TitleUpdating).self, observer: label, deliver: .immediate)
        post("first")
        broadcaster.notify(onMain: (any TitleUpdating).self) { $0.update(title: "second") }
        await eventually("both are heard") { label.heard.values == ["first", "second"] }
        broadcaster.notify(onMain: (any TitleUpdating).self) { $0.update(title: "third") }
        #expect(label.heard.values.last == "third", "nothing waits, so it is called at once")
    }

    @Test func `an observer whose actor is gone is not counted, and not called anywhere`() async {
        let label = Label()
        let delegates = MulticastDelegate<any TitleUpdating>()
        weak var weakDesk: Desk?
        do {
            let desk = Desk()
            weakDesk = desk
            broadcaster.register((any TitleUpdating).self, observer: label, deliver: .actor(desk))
            delegates.add(label, deliver: .actor(desk))
        }
        await eventually("the actor is released") { weakDesk == nil }
        #expect(broadcaster.count(of: (any TitleUpdating).self) == 0 && delegates.count == 0)
        broadcaster.notify(onMain: (any TitleUpdating).self) { $0.update(title: "main") }
        await MainActor.run {}
        #expect(label.heard.values.isEmpty)
    }

    @Test func `each form of unregistering ends what it names`() {
        let labels = [Label(), Label(), Label()]
        for label in labels {
            broadcaster.register((any TitleUpdating).self, observer: label, deliver: .immediate)
            broadcaster.register((any Ticking).self, observer: label, deliver: .immediate)
        }
        broadcaster.unregister((any TitleUpdating).self, observer: labels[0])
        broadcaster.unregister(observer: labels[1])
        broadcaster.notify((any TitleUpdating).self) { $0.update(title: "title") }
        broadcaster.notify((any Ticking).self) { $0.tick() }
        #expect(labels.map(\.heard.values) == [["tick"], [], ["title", "tick"]])

        broadcaster.unregister((any Ticking).self)
        #expect(broadcaster.count(of: (any Ticking).self) == 0)
        #expect(broadcaster.count(of: (any TitleUpdating).self) == 1)
        withExtendedLifetime(labels) {}
    }

    @Test func `protocols of one name do not collide`() {
        let observer = Namesake()
        broadcaster.register((any One.Updating).self, observer: observer, deliver: .immediate)
        broadcaster.notify((any Other.Updating).self) { $0.updateOther() }
        #expect(observer.heard.values.isEmpty)
        broadcaster.register((any Other.Updating).self, observer: observer, deliver: .immediate)
        broadcaster.notify((any Other.Updating).self) { $0.updateOther() }
        broadcaster.notify((any One.Updating).self) { $0.updateOne() }
        #expect(observer.heard.values == ["other", "one"])
    }

    @Test(arguments: DeliveryMode.allCases)
    func `it does not retain its observers`(mode: DeliveryMode) async {
        weak var weakLabel: Label?
        do {
            let label = Label()
            weakLabel = label
            broadcaster.register((any TitleUpdating).self, observer: label, deliver: mode.delivery)
            broadcaster.notify((any TitleUpdating).self) { $0.update(title: "hello") }
            await eventually("the label hears") { label.heard.values == ["hello"] }
        }
        await eventually("the label is released") { weakLabel == nil }
        broadcaster.notify((any TitleUpdating).self) { _ in Issue.record("a released observer was called") }
        #expect(broadcaster.count(of: (any TitleUpdating).self) == 0)
    }

    @Test func `an observer may unregister in its deinit`() {
        final class Page: Ticking {
            let broadcaster: Broadcaster
            init(_ broadcaster: Broadcaster) {
                self.broadcaster = broadcaster
                broadcaster.register((any Ticking).self, observer: self, deliver: .immediate)
            }
            func tick() {}
            deinit { broadcaster.unregister(observer: self) }
        }
        for _ in 0..<100 { _ = Page(broadcaster) }
        #expect(broadcaster.count(of: (any Ticking).self) == 0)
    }

    @Test func `instances are apart from each other and from the shared one`() {
        let label = Label()
        broadcaster.register((any TitleUpdating).self, observer: label, deliver: .immediate)
        Broadcaster().notify((any TitleUpdating).self) { $0.update(title: "other") }
        Broadcaster.shared.notify((any TitleUpdating).self) { $0.update(title: "shared") }
        #expect(label.heard.values.isEmpty)
    }

    @Test func `an observer that is no object is refused`() async {
        await #expect(processExitsWith: .failure) {
            struct Value: Ticking {
                func tick() {}
            }
            Broadcaster().register((any Ticking).self, observer: Value())
        }
    }
}

private protocol TitleUpdating: Sendable {
    func update(title: String)
}

private protocol Ticking: Sendable {
    func tick()
}

private protocol ClassBound: AnyObject, Sendable {
    func bind()
}

private enum One {
    protocol Updating: Sendable { func updateOne() }
}

private enum Other {
    protocol Updating: Sendable { func updateOther() }
}

private final class Label: TitleUpdating, Ticking, ClassBound {
    let heard = Recorder<String>()
    func update(title: String) { heard.hear(title) }
    func tick() { heard.hear("tick") }
    func bind() { heard.hear("bind") }
}

private final class Clock: Ticking {
    let heard = Recorder<String>()
    func tick() { heard.hear("tick") }
}

private final class Namesake: One.Updating, Other.Updating {
    let heard = Recorder<String>()
    func updateOne() { heard.hear("one") }
    func updateOther() { heard.hear("other") }
}
