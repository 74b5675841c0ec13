import EventLog
import JSON
import Locking

/// What the hub knows of an object of the process, or a mere closure, that observes topics.
///
/// The handler of the object's registration owns it: when the object is released, or its registration ends in another
/// way, the handler goes, and with it this and all that this is registered for.
final class ObjectObserver: HubObserver {
    let id = ObserverID.generate(.object)
    let kind = ObserverKind.object
    let topics: [TopicPattern]
    let createdAt = Timestamp.now()

    private let ownerType: String?
    private weak let host: ObjectHost?
    private let registrations = Lock<Registrations?>(nil)

    /// - Parameter ownerType: the name of the object's type; nil if there is only a closure.
    init(topics: [TopicPattern], ownerType: String?, host: ObjectHost) {
        self.topics = topics
        self.ownerType = ownerType
        self.host = host
    }

    /// Keeps what ends with the observer.
    func hold(_ registrations: Registrations) {
        self.registrations.withLock { $0 = registrations }
    }

    /// Whether the object lives and has not been unregistered.
    var isRegistered: Bool { host?.isRegistered(self) ?? false }

    /// Hears committed events, on the thread that commits.
    func receive(_ frames: EventFrames) {
        host?.deliver(frames.events, to: self)
    }

    func document() -> JSONValue {
        var members = commonMembers
        members["type"] = JSONValue(ownerType)
        return .object(members)
    }
}
