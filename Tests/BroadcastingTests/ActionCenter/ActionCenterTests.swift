import Testing

@testable import Broadcasting

@Suite struct ActionCenterTests {
    let center = ActionCenter()

    enum AppAction: Action { case colorChanged, textChanged }
    enum Spelled: String, Action { case saved = "saved", other }
    enum Selected: Action { case row(Int), none }
    struct One: Action { let number: Int }
    struct Other: Action { let number: Int }

    @Test func `a block hears the payload of its action, and of no other`() {
        let observer = Recorder<String>()
        center.on(AppAction.colorChanged, observer: observer, deliver: .immediate) { observer, payload in
            observer.hear(payload["hex"] as? String ?? "")
        }
        center.send(AppAction.colorChanged, payload: ["hex": "#0af"])
        center.send(AppAction.textChanged, payload: ["hex": "none"])
        ActionCenter().send(AppAction.colorChanged, payload: ["hex": "elsewhere"])
        center.send(AppAction.colorChanged)
        #expect(observer.values == ["#0af", ""])
    }

    @Test(arguments: [
        ("b", "a-b"), ("a-b", "b"), ("b", "b-"), ("b", "B"), ("", "b"), ("a.b", "a"), ("e\u{301}x", "ex"),
    ])
    func `a name matches exactly`(registered: String, sent: String) {
        let observer = Recorder<String>()
        center.on(registered, observer: observer, deliver: .immediate) { observer, _ in observer.hear(registered) }
        center.send(sent)
        #expect(observer.values.isEmpty)
        center.send(registered)
        #expect(observer.values == [registered])
    }

    @Test func `an action is no name, whatever its raw value or its description`() {
        let observer = Recorder<String>()
        center.on(Spelled.saved, observer: observer, deliver: .immediate) { observer, _ in observer.hear("action") }
        center.send("saved")
        center.send("Spelled.saved")
        center.send("\(Spelled.saved)")
        #expect(observer.values.isEmpty)
        center.on("saved", observer: observer, deliver: .immediate) { observer, _ in observer.hear("name") }
        center.send(Spelled.saved)
        center.send("saved")
        #expect(observer.values == ["action", "name"])
    }

    @Test func `an object is the same action by whatever class it is known, and not one of another class`() {
        class Click: Action, @unchecked Sendable {  // Unchecked: immutable, and so are its subclasses.
            let button: Int
            init(_ button: Int) { self.button = button }
            static func == (left: Click, right: Click) -> Bool { left.button == right.button }
            func hash(into hasher: inout Hasher) { hasher.combine(button) }
        }
        final class DoubleClick: Click, @unchecked Sendable {}
        let observer = Recorder<String>()
        center.on(DoubleClick(1) as Click, observer: observer, deliver: .immediate) { $0.hear("\($1.count)") }
        center.send(DoubleClick(1))
        center.send(DoubleClick(2))
        center.send(Click(1))
        #expect(observer.values == ["0"])
    }

    @Test func `actions of two types are two actions, and what they carry counts`() {
        let observer = Recorder<String>()
        center.on(One(number: 1), observer: observer, deliver: .immediate) { observer, _ in observer.hear("one") }
        center.on(Selected.row(1), observer: observer, deliver: .immediate) { observer, _ in observer.hear("row 1") }
        center.send(Other(number: 1))
        center.send(One(number: 2))
        center.send(Selected.row(2))
        center.send(Selected.none)
        #expect(observer.values.isEmpty)
        center.send(One(number: 1))
        center.send(Selected.row(1))
        #expect(observer.values == ["one", "row 1"])
    }

    @Test func `an action of a subclass is not one of its superclass`() {
        let observer = Recorder<String>()
        center.on(Base(), observer: observer, deliver: .immediate) { observer, _ in observer.hear("base") }
        center.send(Derived())
        #expect(observer.values.isEmpty)
        center.on(Derived(), observer: observer, deliver: .immediate) { observer, _ in observer.hear("derived") }
        center.send(Base())
        #expect(observer.values == ["base"])
    }

    @Test func `registering again replaces the block, so it fires once`() {
        let observer = Recorder<String>()
        for block in ["first", "second"] {
            center.on("saved", observer: observer, deliver: .immediate) { observer, _ in observer.hear(block) }
            center.on(AppAction.textChanged, observer: observer, deliver: .immediate) { observer, _ in
                observer.hear(block)
            }
        }
        center.send("saved")
        center.send(AppAction.textChanged)
        #expect(observer.values == ["second", "second"])
    }

    @Test func `each form of removing ends what it names`() {
        let observers = (0..<4).map { _ in Recorder<String>() }
        for observer in observers {
            center.on("saved", observer: observer, deliver: .immediate) { observer, _ in observer.hear("name") }
            center.on(AppAction.textChanged, observer: observer, deliver: .immediate) { observer, _ in
                observer.hear("action")
            }
        }
        center.remove("saved", observer: observers[0])
        center.remove(AppAction.textChanged, observer: observers[1])
        center.remove(observer: observers[2])
        center.send("saved")
        center.send(AppAction.textChanged)
        #expect(observers.map(\.values) == [["action"], ["name"], [], ["name", "action"]])
    }

    @Test func `blocks run on the main actor unless told otherwise, and may use what belongs to it`() async {
        @MainActor final class Label {
            var heard: [String] = []
        }
        let center = center
        let label = Label()
        center.on(AppAction.textChanged, observer: label) { label, _ in label.heard.append("action") }
        center.on("saved", observer: label, deliver: .main) { label, _ in label.heard.append("name") }
        await MainActor.run {
            center.send(AppAction.textChanged)
            center.send("saved")
            #expect(label.heard.isEmpty, "never before the sender goes on")
        }
        while await label.heard != ["action", "name"] { await Task.yield() }
    }
}

private class Base: Action, @unchecked Sendable {
    // Unchecked: without state.
    static func == (left: Base, right: Base) -> Bool { true }
    func hash(into hasher: inout Hasher) {}
}

private final class Derived: Base, @unchecked Sendable {}
