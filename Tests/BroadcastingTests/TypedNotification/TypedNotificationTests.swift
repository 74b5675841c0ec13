import Testing

@testable import Broadcasting

@Suite struct TypedNotificationTests {
    let center = TypedNotificationCenter()

    struct MarketChanged: TypedNotification {
        typealias Info = (name: String, age: Int)
        static let name = "typed-notification-tests.market-changed"
    }

    struct Alias: TypedNotification {
        typealias Info = (name: String, age: Int)
        static let name = "typed-notification-tests.market-changed"
    }

    struct Closed: TypedNotification {
        typealias Info = Void
        static let name = "market.closed"
    }

    @Test func `a bag does not pile up tokens that were cancelled`() {
        let (bag, value) = (DisposeBag(), ObservableValue(0))
        let heard = Recorder<Int>()
        bag.insert(value.observe { heard.hear($0) })
        for _ in 0..<5_000 {
            let token = value.observe { heard.hear($0) }
            bag.insert(token)
            token.cancel()
        }
        #expect(bag.tokenCount <= 2 * SweepSchedule.minimum + 1)
        value.value = 1
        #expect(heard.values == [1])
    }

    @Test func `a relay hears every post but its own, which all others hear`() {
        let (relayed, others, heard) = (Recorder<Int>(), Recorder<Int>(), Recorder<Int>())
        let relay = NotificationRelay<MarketChanged>(in: center) { relayed.hear($0.age) }
        let other = NotificationRelay<MarketChanged>(in: center) { others.hear($0.age) }
        MarketChanged.observe(.always, in: center) { heard.hear($0.age) }
        relay.post(("zzf", 1))
        MarketChanged.post(("zzf", 2), in: center)
        other.post(("zzf", 3))
        #expect(relayed.values == [2, 3])
        #expect(others.values == [1, 2])
        #expect(heard.values == [1, 2, 3])
    }

    @Test func `a tuple arrives as it was posted, at every observer`() {
        let heard = Recorder<String>()
        MarketChanged.observe(.always, in: center) { info in heard.hear("\(info.name) \(info.age)") }
        MarketChanged.observe(.always, in: center) { info in heard.hear("\(info.age)") }
        MarketChanged.post(("zzf", 18), in: center)
        #expect(heard.values == ["zzf 18", "18"])
        #expect(center.table.registrationCount == 2)
    }

    @Test func `what is observed until a bag goes ends with it at once, and the same bag again replaces`() {
        let heard = Recorder<String>()
        var bag: DisposeBag? = DisposeBag()
        MarketChanged.observe(.until(bag!), in: center) { _ in heard.hear("first") }
        MarketChanged.observe(.until(bag!), in: center) { _ in heard.hear("second") }
        Closed.observe(.until(bag!), in: center) { heard.hear("closed") }
        MarketChanged.post(("zzf", 18), in: center)
        Closed.post(in: center)
        #expect(heard.values == ["second", "closed"])
        #expect(center.table.registrationCount == 2)
        bag = nil
        #expect(center.table.registrationCount == 0)
        MarketChanged.post(("zzf", 19), in: center)
        #expect(heard.values.count == 2)
    }

    @Test func `a bag keeps tokens as long as it lives`() {
        let heard = Recorder<Int>()
        var bag: DisposeBag? = DisposeBag()
        bag!.insert(MarketChanged.observe(in: center) { heard.hear($0.age) })
        MarketChanged.post(("zzf", 1), in: center)
        bag = nil
        MarketChanged.post(("zzf", 2), in: center)
        #expect(heard.values == [1])
    }

    @Test func `an owner is handed to its handler, and observing again replaces`() {
        let owner = Recorder<Int>()
        MarketChanged.observe(owner, in: center) { $0.hear(-$1.age) }
        MarketChanged.observe(owner, in: center) { $0.hear($1.age) }
        MarketChanged.post(("zzf", 1), in: center)
        MarketChanged.removeObserver(owner, in: center)
        MarketChanged.post(("zzf", 2), in: center)
        #expect(owner.values == [1])
    }

    @Test func `a token ends its registration`() {
        let heard = Recorder<Int>()
        let token = MarketChanged.observe(in: center) { heard.hear($0.age) }
        MarketChanged.post(("zzf", 1), in: center)
        token.cancel()
        MarketChanged.post(("zzf", 2), in: center)
        #expect(heard.values == [1])
    }

    @Test func `the name identifies the notification among types of one payload`() {
        let heard = Recorder<Int>()
        MarketChanged.observe(.always, in: center) { heard.hear($0.age) }
        Alias.post(("zzf", 3), in: center)
        #expect(heard.values == [3])
    }

    @Test func `centres are apart, and the shared one is the default`() {
        let heard = Recorder<Int>()
        let bag = DisposeBag()
        MarketChanged.observe(.until(bag)) { heard.hear($0.age) }
        MarketChanged.post(("zzf", 1), in: center)
        MarketChanged.post(("zzf", 2))
        #expect(heard.values == [2])
    }

    @Test func `a handler for the main actor may use what belongs to it`() async {
        @MainActor final class Label {
            var text = ""
        }
        let label = Label()
        MarketChanged.observe(label, in: center, deliver: .main) { label, info in label.text += info.name }
        MarketChanged.observe(.always, in: center, deliver: .main) { info in label.text += "\(info.age)" }
        MarketChanged.post(("zzf", 18), in: center)
        while await label.text != "zzf18" { await Task.yield() }
    }

    @Test(.timeLimit(.minutes(1)))
    func `posts come as a sequence, which is forgotten with its consumer and ends with the centre`() async {
        var center: TypedNotificationCenter? = TypedNotificationCenter()
        let posts = MarketChanged.posts(in: center!)
        do { _ = MarketChanged.posts(in: center!) }
        #expect(center!.table.registrationCount == 1)
        for age in 1...3 { MarketChanged.post(("zzf", age), in: center!) }
        center = nil
        var ages: [Int] = []
        for await info in posts { ages.append(info.age) }
        #expect(ages == [1, 2, 3])
    }
}

/// Types of one name and different payloads.
@Suite struct NamesakeNotificationTests {
    struct Number: TypedNotification {
        typealias Info = Int
        static let name = "namesake"
    }

    struct Text: TypedNotification {
        typealias Info = String
        static let name = "namesake"
    }

    struct Labelled: TypedNotification {
        typealias Info = (number: Int, text: String)
        static let name = "tuple"
    }

    struct Unlabelled: TypedNotification {
        typealias Info = (Int, String)
        static let name = "tuple"
    }

    #if DEBUG
        @Test func `a debug build refuses to post under a name that has another payload`() async {
            await #expect(processExitsWith: .failure) {
                Number.observe(.always) { _ in }
                Text.post("text")
            }
        }

        @Test func `a debug build refuses to observe a name that has another payload`() async {
            await #expect(processExitsWith: .failure) {
                Number.post(1)
                Text.observe(.always) { _ in }
            }
        }
    #endif

    @Test func `the keys of two payloads differ, which is what keeps them apart in a release build`() {
        // Two centres, since a debug build refuses both in one.
        func keys<A: TypedNotification, B: TypedNotification>(_: A.Type, _: B.Type) -> Bool {
            TypedNotificationCenter().key(of: A.self) == TypedNotificationCenter().key(of: B.self)
        }
        #expect(!keys(Number.self, Text.self))
        #expect(!keys(Labelled.self, Unlabelled.self))
        #expect(keys(Number.self, Number.self))
    }
}
