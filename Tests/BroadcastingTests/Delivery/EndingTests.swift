import Dispatch
import Locking
import Testing

@testable import Broadcasting

/// Promise 5: when a registration has ended, no call of it begins on the executor that ended it, though it was handed over
/// before.
@Suite struct EndingTests {
    @Test(arguments: Ending.allCases.flatMap { ending in DeliveryMode.handingOver.map { (ending, $0) } })
    func `a call that ends its registration is the last`(ending: Ending, mode: DeliveryMode) async {
        for _ in 0..<20 {
            let subject = ending.subject()
            let heard = Recorder<Int>()
            let isPosted = DispatchSemaphore(value: 0)
            subject.observe(mode.delivery) { value in
                heard.hear(value)
                guard value == 1 else { return }
                isPosted.wait()
                subject.end()
            }
            for value in 1...5 { subject.post(value) }
            isPosted.signal()
            await eventually("the first is heard") { !heard.values.isEmpty }
            await flush(mode.delivery)
            #expect(heard.values == [1])
        }
    }

    @Test(arguments: Ending.allCases) @MainActor
    func `what ends on the main actor is not called there any more`(ending: Ending) async {
        for _ in 0..<100 {
            let subject = ending.subject()
            let heard = Recorder<Int>()
            subject.observe(.main) { heard.hear($0) }
            subject.post(1)
            subject.end()
            await flush(.main)
            #expect(heard.values.isEmpty)
        }
    }

    @Test(arguments: Ending.allCases)
    func `what ends on a queue is not called there any more, also what it took the place of`(ending: Ending) async {
        let queue = DispatchQueue(label: "serial")
        let subject = ending.subject()
        let heard = Recorder<Int>()
        queue.suspend()
        subject.observe(.queue(queue)) { heard.hear($0) }
        subject.post(1)
        subject.observe(.queue(queue)) { heard.hear($0) }
        subject.post(2)
        subject.end()
        queue.resume()
        await flush(.queue(queue))
        #expect(heard.values.isEmpty)
    }

    @Test func `what was posted before an observer unregistered is not heard when it registers again`() async {
        let queue = DispatchQueue(label: "held up")
        let channel = Design.broadcaster.channel()
        let observer = Recorder<Int>()
        queue.suspend()
        channel.register(observer, deliver: .queue(queue))
        channel.post(1)
        channel.unregister(observer)
        channel.register(observer, deliver: .queue(queue))
        channel.post(2)
        queue.resume()
        await eventually("it hears") { observer.values.last == 2 }
        #expect(observer.values == [2])
    }

    @Test func `what was handed over is not heard by an observer that has been released`() async {
        let queue = DispatchQueue(label: "held up")
        let channel = Design.broadcaster.channel()
        let heard = Recorder<Int>()
        queue.suspend()
        do {
            let observer = Player { _, value in heard.hear(value) }
            channel.register(observer, deliver: .queue(queue))
            channel.post(1)
        }
        queue.resume()
        await flush(.queue(queue))
        #expect(heard.values.isEmpty)
    }

    /// Waits until what has been handed over has been run: for certain where it leads to a serial executor.
    private func flush(_ delivery: Delivery) async {
        let table = ObserverTable<Int, Int>()
        let observer = Recorder<Int>()
        table.register(0, owner: observer, deliver: delivery) { $0.hear($1) }
        for number in 1...5 {
            table.notify(0, number)
            await eventually("it is flushed") { observer.values.count == number }
        }
    }
}

/// Every way in which a registration ends by somebody's doing, in every design.
enum Ending: CaseIterable {
    case broadcasterOne, broadcasterProtocol, broadcasterObserver, broadcasterDeath
    case valueToken, valueTokenDeath, valueKey, valueOwner, valueDeath
    case actionOne, actionObserver, actionDeath
    case delegate, delegatesDeath
    case notificationToken, notificationOwner, notificationBag, notificationBagDeath, notificationDeath

    /// Something with one registration.
    struct Subject: Sendable {
        /// Registers, in place of the registration before if there is one.
        let observe: @Sendable (Delivery, @escaping @Sendable (Int) -> Void) -> Void
        let post: @Sendable (Int) -> Void
        let end: @Sendable () -> Void
    }

    func subject() -> Subject {
        switch self {
        case .broadcasterOne, .broadcasterProtocol, .broadcasterObserver, .broadcasterDeath: broadcaster()
        case .valueToken, .valueTokenDeath, .valueKey, .valueOwner, .valueDeath: value()
        case .actionOne, .actionObserver, .actionDeath: action()
        case .delegate, .delegatesDeath: delegates()
        default: notification()
        }
    }

    private func broadcaster() -> Subject {
        let broadcaster = Held(Broadcaster())
        let observer = Heir()
        return Subject {
            observer.handler.object = Box($1)
            broadcaster.object?.register((any Hearing).self, observer: observer, deliver: $0)
        } post: { value in
            broadcaster.object?.notify((any Hearing).self) { $0.hear(value) }
        } end: {
            switch self {
            case .broadcasterOne: broadcaster.object?.unregister((any Hearing).self, observer: observer)
            case .broadcasterProtocol: broadcaster.object?.unregister((any Hearing).self)
            case .broadcasterObserver: broadcaster.object?.unregister(observer: observer)
            default: broadcaster.object = nil
            }
        }
    }

    private func value() -> Subject {
        let value = Held(ObservableValue(0))
        let token = Held<ObservationToken>(nil)
        let owner = Heir()
        return Subject { deliver, handler in
            switch self {
            case .valueToken, .valueTokenDeath: token.object = value.object?.observe(deliver: deliver, handler)
            case .valueKey: value.object?.observe(forKey: "key", deliver: deliver, handler)
            default: value.object?.observe(owner, deliver: deliver) { handler($1) }
            }
        } post: {
            value.object?.value = $0
        } end: {
            switch self {
            case .valueToken: token.object?.cancel()
            case .valueTokenDeath: token.object = nil
            case .valueKey: value.object?.removeObserver(forKey: "key")
            case .valueOwner: value.object?.removeObserver(owner)
            default: value.object = nil
            }
        }
    }

    private func action() -> Subject {
        let center = Held(ActionCenter())
        let observer = Heir()
        return Subject { deliver, handler in
            center.object?.on("said", observer: observer, deliver: deliver) { handler($1["number"] as? Int ?? -1) }
        } post: {
            center.object?.send("said", payload: ["number": $0])
        } end: {
            switch self {
            case .actionOne: center.object?.remove("said", observer: observer)
            case .actionObserver: center.object?.remove(observer: observer)
            default: center.object = nil
            }
        }
    }

    private func delegates() -> Subject {
        let delegates = Held(MulticastDelegate<any Hearing>())
        let observer = Heir()
        return Subject {
            observer.handler.object = Box($1)
            delegates.object?.add(observer, deliver: $0)
        } post: { value in
            delegates.object?.invoke { $0.hear(value) }
        } end: {
            if self == .delegate { delegates.object?.remove(observer) } else { delegates.object = nil }
        }
    }

    private func notification() -> Subject {
        enum Said: TypedNotification {
            typealias Info = Int
            static let name = "said"
        }
        let center = Held(TypedNotificationCenter())
        let token = Held<ObservationToken>(nil)
        let bag = Held(DisposeBag())
        let owner = Heir()
        return Subject { deliver, handler in
            guard let center = center.object, let bag = bag.object else { return }
            switch self {
            case .notificationToken: token.object = Said.observe(in: center, deliver: deliver, handler)
            case .notificationOwner: Said.observe(owner, in: center, deliver: deliver) { handler($1) }
            case .notificationDeath: Said.observe(.always, in: center, deliver: deliver, handler)
            default: Said.observe(.until(bag), in: center, deliver: deliver, handler)
            }
        } post: {
            if let center = center.object { Said.post($0, in: center) }
        } end: {
            switch self {
            case .notificationToken: token.object?.cancel()
            case .notificationOwner: if let center = center.object { Said.removeObserver(owner, in: center) }
            case .notificationBag:
                if let center = center.object, let bag = bag.object { Said.removeObserver(bag, in: center) }
            case .notificationBagDeath: bag.object = nil
            default: center.object = nil
            }
        }
    }
}

/// Holds an object until it is let go.
private final class Held<Object: AnyObject & Sendable>: Sendable {
    private let content: Lock<Object?>

    init(_ object: Object?) { content = Lock(object) }

    var object: Object? {
        get { content.withLock { $0 } }
        set {
            _ = content.withLock { content in
                defer { content = newValue }
                return content
            }
        }
    }
}

/// An observer that does what it was told last.
private final class Heir: Hearing {
    let handler = Held<Box<@Sendable (Int) -> Void>>(nil)
    func hear(_ value: Int) { handler.object?.content(value) }
}
