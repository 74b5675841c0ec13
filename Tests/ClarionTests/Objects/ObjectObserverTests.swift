import MicroHTTP
import Dispatch
import EventLog
import Locking
import Testing

@testable import Clarion

/// Objects of the process as observers of a whole hub's topics.
@Suite(.serialized) struct ObjectObserverTests {
    /// Not a `LifetimeOwner`: nobody is told when it goes.
    private final class Listener: Sendable {
        let heard = Recorder<Event>()
    }

    private final class PromptListener: LifetimeOwner, Sendable {
        let lifetime = Lifetime()
        let heard = Recorder<Event>()
    }

    /// Captured by a handler, shows whether that is still held.
    private final class Canary: Sendable {}

    @Test func anObjectHearsTheEventsOfItsPattern() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("orders.*", owner: listener) { me, event in me.heard.add(event) }
            let event = try await hub.post("1", to: "orders.eu")
            try await hub.post("2", to: "orders.eu.berlin")
            try await hub.post("3", to: "news")
            _ = try await TestAnswer.to("POST", "/topics/orders.us/events", of: hub, body: "4")
            #expect(listener.heard.all.map(\.text) == ["1", "4"])
            #expect(listener.heard.all.first == event)
        }
    }

    private static let deliveries: [Delivery] = [
        .immediate, .background, .queue(DispatchQueue(label: "test", attributes: .concurrent)),
    ]

    @Test(arguments: deliveries)
    func eventsOfEightPostersComeInSequenceOrderEachOnce(deliver: Delivery) async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a.*", "a.**", "a.1", "**", owner: listener, deliver: deliver) { me, event in
                me.heard.add(event)
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for poster in 0..<8 {
                    group.addTask { for n in 0..<100 { try await hub.post("\(n)", to: "a.\(poster % 3)") } }
                }
                try await group.waitForAll()
            }
            try await eventually { listener.heard.all.count >= 800 }
            #expect(try await listener.heard.all.map(\.position) == hub.stored().map(\.position))
        }
    }

    @Test func aRegistrationWithSeveralPatternsHearsAnEventOnceAndTwoRegistrationsHearItTwice() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a.b", "a.*", "a.b", owner: listener) { me, event in me.heard.add(event) }
            try await hub.post("1", to: "a.b")
            #expect(listener.heard.all.map(\.text) == ["1"])
            hub.observe(try TopicPattern("**"), owner: listener) { me, event in me.heard.add(event) }
            try await hub.post("2", to: "a.b")
            #expect(listener.heard.all.map(\.text) == ["1", "2", "2"])
        }
    }

    /// Each way to be told of many events at once: those of one commit, and those of one page of the log.
    private static let runs: [(isLive: Bool, deliver: Delivery)] = [false, true].flatMap { isLive in
        deliveries.map { (isLive, $0) }
    }

    private static func observe<Owner: AnyObject & Sendable>(
        _ hub: Hub,
        _ run: (isLive: Bool, deliver: Delivery),
        owner: Owner,
        _ handler: @escaping @Sendable (Owner, Event) -> Void
    ) throws {
        if run.isLive {
            try hub.observe("a", owner: owner, deliver: run.deliver, handler)
        } else {
            try hub.observe("a", owner: owner, from: .earliest, deliver: run.deliver, handler)
        }
    }

    private static func drafts(_ count: Int) throws -> [EventDraft] {
        try (0..<count).map { EventDraft(topic: try Topic("a"), data: Array("\($0)".utf8)) }
    }

    @Test(arguments: 0..<6)
    func whoIsRemovedInTheMiddleOfARunHearsNothingMore(number: Int) async throws {
        let run = Self.runs[number]
        try await withHub { hub in
            let (listener, witness) = (Listener(), Listener())
            try Self.observe(hub, run, owner: listener) { [weak hub] me, event in
                me.heard.add(event)
                if me.heard.all.count == 5 { hub?.removeObserver(me) }
            }
            try Self.observe(hub, run, owner: witness) { me, event in me.heard.add(event) }
            _ = try await hub.post(try Self.drafts(700))
            try await eventually { witness.heard.all.count == 700 && hub.directory.all().count == 1 }
            #expect(listener.heard.all.map(\.text) == (0..<5).map(String.init))
        }
    }

    @Test(arguments: 0..<6)
    func whoIsReleasedInTheMiddleOfARunHearsNothingMoreAndIsNotKept(number: Int) async throws {
        let run = Self.runs[number]
        try await withHub { hub in
            let (calls, witness) = (Recorder<Event>(), Listener())
            let holder = Lock<Listener?>(Listener())
            weak let listener = holder.withLock { $0 }
            try Self.observe(hub, run, owner: try #require(holder.withLock { $0 })) { _, event in
                calls.add(event)
                if calls.all.count == 5 { _ = holder.withLock { $0.take() } }
            }
            try Self.observe(hub, run, owner: witness) { me, event in me.heard.add(event) }
            _ = try await hub.post(try Self.drafts(700))
            try await eventually { witness.heard.all.count == 700 && listener == nil }
            #expect(calls.all.map(\.text) == (0..<5).map(String.init))
        }
    }

    @Test func aTokenEndsItsObservation() async throws {
        try await withHub { hub in
            let heard = Recorder<String>()
            let token = try hub.observe("a") { event in heard.add(event.text) }
            try await hub.post("1", to: "a")
            token.cancel()
            try await hub.post("2", to: "a")
            #expect(heard.all == ["1"])
            #expect(hub.directory.all().isEmpty)
        }
    }

    @Test func aLifetimeOwnersRegistrationGoesWithItAtOnce() async throws {
        try await withHub { hub in
            var listener: PromptListener? = PromptListener()
            weak var canary: Canary?
            do {
                let strong = Canary()
                canary = strong
                hub.observe([try TopicPattern("a"), try TopicPattern("b.*")], owner: try #require(listener)) { _, _ in
                    withExtendedLifetime(strong) {}
                }
            }
            #expect(hub.directory.all().count == 1)
            #expect(canary != nil)
            weak let observer = hub.directory.all().first as? ObjectObserver
            listener = nil
            #expect(canary == nil)
            #expect(observer == nil)
            #expect(hub.directory.all().isEmpty)
        }
    }

    @Test func anyObjectIsHeldWeaklyAndGoneFromTheListWithoutAnEvent() async throws {
        try await withHub { hub in
            let calls = Recorder<Event>()
            var listener: Listener? = Listener()
            weak let gone = listener
            weak var canary: Canary?
            do {
                let strong = Canary()
                canary = strong
                try hub.observe("a", owner: try #require(listener)) { _, event in
                    withExtendedLifetime(strong) { calls.add(event) }
                }
            }
            listener = nil
            #expect(gone == nil)
            #expect(hub.directory.all().isEmpty)
            try await hub.post("1", to: "a")
            #expect(calls.all.isEmpty)
            #expect(canary == nil, "what the event met was swept")
        }
    }

    @Test func objectsThatComeAndGoLeaveNoGrowth() async throws {
        try await withHub { hub in
            weak var oldest: Canary?
            for index in 0..<10_000 {
                let canary = Canary()
                if index == 0 { oldest = canary }
                try hub.observe("a", owner: Listener()) { _, _ in withExtendedLifetime(canary) {} }
            }
            #expect(oldest == nil)
            #expect(hub.objects.registrationCount < 100)
        }
    }

    @Test func aRemovedObjectHearsNothingMoreNotEvenWhatWaited() async throws {
        try await withHub { hub in
            let queue = DispatchQueue(label: "test")
            let listener = Listener()
            try hub.observe("a", owner: listener, deliver: .queue(queue)) { me, event in me.heard.add(event) }
            try hub.observe("b", owner: listener) { me, event in me.heard.add(event) }
            try await hub.post("1", to: "a")
            try await eventually { listener.heard.all.count == 1 }
            queue.suspend()
            try await hub.post("2", to: "a")
            hub.removeObserver(listener)
            #expect(hub.directory.all().isEmpty)
            queue.resume()
            try await hub.post("3", to: "a")
            try await hub.post("4", to: "b")
            await withCheckedContinuation { done in queue.async { done.resume() } }
            #expect(listener.heard.all.map(\.text) == ["1"])
        }
    }

    @Test @MainActor func aHandlerThatIsDeliveredToMainUsesWhatIsOfTheMainActor() async throws {
        @MainActor final class Label {
            var text = ""
        }
        let label = Label()
        try await withHub { hub in
            try hub.observe("a", owner: label, deliver: .main) { label, event in label.text += event.text }
            try await hub.post("1", to: "a")
            try await hub.post("2", to: "a")
            try await eventually { label.text == "12" }
        }
    }

    @Test @MainActor func withoutAnOwnerAndFromThePastTooMainIsTheMainActor() async throws {
        @MainActor final class Label {
            var (texts, past) = ([String](), "")
        }
        let label = Label()
        try await withHub { hub in
            try await hub.post("0", to: "a")
            try hub.observe("a", owner: label, from: .earliest, deliver: .main) { me, event in me.past += event.text }
            let pattern = try TopicPattern("a")
            let tokens = [
                try hub.observe("a", "b", deliver: .main) { event in label.texts.append("s" + event.text) },
                hub.observe(pattern, deliver: .main) { event in label.texts.append("p" + event.text) },
                hub.observe([pattern], deliver: .main) { event in label.texts.append("l" + event.text) },
            ]
            try await hub.post("1", to: "a")
            try await eventually { label.texts.count == 3 && label.past == "01" }
            #expect(label.texts.sorted() == ["l1", "p1", "s1"])
            for token in tokens { token.cancel() }
        }
    }

    @Test func anObjectMayRemoveItselfInAHandler() async throws {
        try await withHub { hub in
            let listener = Listener()
            try hub.observe("a", owner: listener) { [weak hub] me, event in
                me.heard.add(event)
                hub?.removeObserver(me)
            }
            try await hub.post("1", to: "a")
            try await hub.post("2", to: "a")
            #expect(listener.heard.all.map(\.text) == ["1"])
        }
    }

    @Test func anInvalidPatternIsRefused() async throws {
        try await withHub { hub in
            let error = #expect(throws: TopicError.self) { try hub.observe("a.b*", owner: hub) { _, _ in } }
            #expect(error?.code == "pattern-invalid")
            #expect(throws: TopicError.self) { _ = try hub.observe("") { _ in } }
            #expect(hub.directory.all().isEmpty)
        }
    }

    @Test func theOriginOfAPostComesWithTheLiveEventAndIsNotStored() async throws {
        try await withHub { hub in
            let mine = EventOrigin()
            let heard = Recorder<EventOrigin?>()
            let token = try hub.observe("a") { event in heard.add(event.origin) }
            _ = try await hub.post(EventDraft(topic: Topic("a"), data: [], origin: mine))
            try await hub.post("", to: "a")
            #expect(heard.all == [mine, nil])
            #expect(mine != EventOrigin())
            #expect(try await hub.stored().map(\.origin) == [nil, nil])
            token.cancel()
        }
    }
}
