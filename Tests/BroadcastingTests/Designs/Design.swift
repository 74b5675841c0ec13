@testable import Broadcasting

/// Each of the five designs as a channel of numbers, so that what all of them promise is one set of tests.
enum Design: String, CaseIterable, Codable {
    case broadcaster, observableValue, actionCenter, multicastDelegate, typedNotification

    /// Every design with every way of delivery.
    static let everywhere = allCases.flatMap { design in DeliveryMode.allCases.map { (design, $0) } }

    /// A channel of its own that nobody observes.
    func channel() -> any Channel {
        switch self {
        case .broadcaster: BroadcasterChannel()
        case .observableValue: ObservableValueChannel()
        case .actionCenter: ActionChannel()
        case .multicastDelegate: DelegateChannel()
        case .typedNotification: NotificationChannel()
        }
    }
}

/// One design, of which an observer is an object with a `hear` method.
protocol Channel: Sendable {
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery)
    func unregister(_ observer: some Hearing)
    func post(_ value: Int)
    /// Entries in its table, dead ones included.
    var registrationCount: Int { get }
}

/// What observers of a channel are.
protocol Hearing: AnyObject, Sendable {
    func hear(_ value: Int)
}

extension Recorder: Hearing where Value == Int {}

/// An observer that does what it is told to.
final class Player: Hearing {
    private let play: @Sendable (Player, Int) -> Void

    init(_ play: @escaping @Sendable (Player, Int) -> Void) { self.play = play }

    func hear(_ value: Int) { play(self, value) }
}

private struct BroadcasterChannel: Channel {
    let broadcaster = Broadcaster()
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery) {
        broadcaster.register((any Hearing).self, observer: observer, deliver: deliver)
    }
    func unregister(_ observer: some Hearing) { broadcaster.unregister((any Hearing).self, observer: observer) }
    func post(_ value: Int) { broadcaster.notify((any Hearing).self) { $0.hear(value) } }
    var registrationCount: Int { broadcaster.table.registrationCount }
}

private struct ObservableValueChannel: Channel {
    let value = ObservableValue(0)
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery) {
        value.observe(observer, deliver: deliver) { $0.hear($1) }
    }
    func unregister(_ observer: some Hearing) { value.removeObserver(observer) }
    func post(_ value: Int) { self.value.value = value }
    var registrationCount: Int { value.table.registrationCount }
}

private struct ActionChannel: Channel {
    enum Said: Action { case number }
    let center = ActionCenter()
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery) {
        center.on(Said.number, observer: observer, deliver: deliver) { $0.hear($1["number"] as? Int ?? -1) }
    }
    func unregister(_ observer: some Hearing) { center.remove(Said.number, observer: observer) }
    func post(_ value: Int) { center.send(Said.number, payload: ["number": value]) }
    var registrationCount: Int { center.table.registrationCount }
}

private struct DelegateChannel: Channel {
    let delegates = MulticastDelegate<any Hearing>()
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery) {
        delegates.add(observer, deliver: deliver)
    }
    func unregister(_ observer: some Hearing) { delegates.remove(observer) }
    func post(_ value: Int) { delegates.invoke { $0.hear(value) } }
    var registrationCount: Int { delegates.table.registrationCount }
}

private struct NotificationChannel: Channel {
    enum Said: TypedNotification {
        typealias Info = Int
        static let name = "said"
    }
    let center = TypedNotificationCenter()
    func register<Observer: Hearing>(_ observer: Observer, deliver: Delivery) {
        Said.observe(observer, in: center, deliver: deliver) { $0.hear($1) }
    }
    func unregister(_ observer: some Hearing) { Said.removeObserver(observer, in: center) }
    func post(_ value: Int) { Said.post(value, in: center) }
    var registrationCount: Int { center.table.registrationCount }
}
