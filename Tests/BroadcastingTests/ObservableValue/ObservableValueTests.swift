import Synchronization
import Testing

@testable import Broadcasting

@Suite struct ObservableValueTests {
    let number = ObservableValue(0)

    @Test func `every registration of an owner hears every setting, equal ones too`() {
        let owner = Recorder<Int>()
        number.observe(owner) { $0.hear($1) }
        number.observe(owner) { $0.hear($1 * 10) }
        number.value = 1
        number.value = 1
        #expect(owner.values == [1, 10, 1, 10])
        number.removeObserver(owner)
        number.value = 2
        #expect(owner.values.count == 4)
        #expect(number.value == 2)
    }

    @Test func `a key holds one handler, and the next replaces it`() {
        let first = Recorder<Int>()
        let second = Recorder<Int>()
        number.observe(forKey: "log") { first.hear($0) }
        number.observe(forKey: "log") { second.hear($0) }
        number.observe(forKey: "g") { second.hear(-$0) }
        number.value = 1
        #expect(first.values.isEmpty)
        #expect(second.values == [1, -1])
        number.removeObserver(forKey: "log")
        number.removeObserver(forKey: "og")
        number.value = 2
        #expect(second.values == [1, -1, -2])
    }

    @Test func `a token ends its registration when it is cancelled or released`() {
        let heard = Recorder<Int>()
        let cancelled = number.observe { heard.hear($0) }
        var released: ObservationToken? = number.observe { heard.hear($0 * 10) }
        number.value = 1
        cancelled.cancel()
        number.value = 2
        withExtendedLifetime(released) {}
        released = nil
        number.value = 3
        #expect(heard.values == [1, 10, 20])
        #expect(number.table.registrationCount == 0)
    }

    @Test(arguments: DeliveryMode.allCases)
    func `initial hears the current value first, then what it becomes`(mode: DeliveryMode) async {
        let owner = Recorder<Int>()
        number.value = 7
        number.observe(owner, initial: true, deliver: mode.delivery) { $0.hear($1) }
        if mode == .immediate { #expect(owner.values == [7]) }
        number.value = 8
        await eventually("both are heard") { owner.values.count == 2 }
        #expect(owner.values == [7, 8])
    }

    @Test func `initial greets the new observer alone, in every form`() {
        let old = Recorder<Int>()
        let new = Recorder<Int>()
        number.observe(old) { $0.hear($1) }
        number.observe(forKey: "key", initial: true) { new.hear($0) }
        let token = number.observe(initial: true) { new.hear($0 + 1) }
        #expect(old.values.isEmpty)
        #expect(new.values == [0, 1])
        token.cancel()
    }

    @Test func `distinct silences values equal to the one before`() {
        let owner = Recorder<Int>()
        let every = Recorder<Int>()
        number.observe(owner, initial: true, distinct: true) { $0.hear($1) }
        number.observe(every, distinct: false) { $0.hear($1) }
        let keyed = Recorder<Int>()
        number.observe(forKey: "key", distinct: true) { keyed.hear($0) }
        let token = number.observe(distinct: true) { keyed.hear($0) }
        for value in [0, 1, 1, 2, 1] { number.value = value }
        #expect(owner.values == [0, 1, 2, 1])
        #expect(every.values == [0, 1, 1, 2, 1])
        #expect(keyed.values == [1, 1, 2, 2, 1, 1])
        token.cancel()
    }

    @Test func `an optional that becomes nil is heard`() {
        let name = ObservableValue<String?>("a")
        let heard = Recorder<String?>()
        name.observe(heard, initial: true, distinct: true) { $0.hear($1) }
        name.value = nil
        name.value = nil
        name.value = "b"
        #expect(heard.values == ["a", nil, "b"])
    }

    @Test func `withValue notifies once and returns what its closure returns`() {
        let owner = Recorder<Int>()
        number.observe(owner) { $0.hear($1) }
        let doubled = number.withValue { value in
            value += 1
            value += 1
            return value * 2
        }
        #expect(doubled == 4)
        #expect(owner.values == [2])
    }

    @Test func `withValue that throws changes nothing and tells nobody`() {
        struct Refusal: Error {}
        let owner = Recorder<Int>()
        number.observe(owner) { $0.hear($1) }
        #expect(throws: Refusal.self) {
            try number.withValue { value throws(Refusal) in
                value = 9
                throw Refusal()
            }
        }
        #expect(number.value == 0)
        #expect(owner.values.isEmpty)
    }

    @Test func `a value that is replaced may use the variable while it is released`() {
        final class Page: Sendable {
            let pages: ObservableValue<Page?>
            init(_ pages: ObservableValue<Page?>) { self.pages = pages }
            deinit { pages.value = nil }
        }
        let pages = ObservableValue<Page?>(nil)
        pages.value = Page(pages)
        pages.value = nil
        #expect(pages.value == nil)
    }

    @Test func `a handler for the main actor may use what belongs to it`() async {
        @MainActor final class Label {
            var text = 0
        }
        let label = Label()
        number.observe(label, deliver: .main) { label, value in label.text += value }
        number.observe(label, distinct: true, deliver: .main) { label, value in label.text += value * 10 }
        number.observe(forKey: "key", deliver: .main) { value in label.text += value * 100 }
        number.observe(forKey: "distinct", distinct: true, deliver: .main) { value in label.text += value * 1_000 }
        let tokens = [
            number.observe(deliver: .main) { value in label.text += value * 10_000 },
            number.observe(distinct: true, deliver: .main) { value in label.text += value * 100_000 },
        ]
        number.value = 2
        // Handed over one by one, in strands of their own, except the first two, which share the owner's.
        while await label.text != 222_222 { await Task.yield() }
        withExtendedLifetime(tokens) {}
    }
}
