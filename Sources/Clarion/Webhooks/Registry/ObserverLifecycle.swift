import EventLog
import JSON
import Logging

/// Tells of what happens to webhooks: events on the topic `clarion.observers`, posted to the log like any others.
///
/// Only webhooks, which last and whose operators want to know. Streams come and go by the thousand, and objects with
/// their program: an event for each would be most of the log.
///
/// Telling never leads to more to tell: a delivery, whatever becomes of it, posts nothing, and an observer is disabled
/// once.
struct ObserverLifecycle: Sendable {
    enum Change {
        case registered
        case unregistered
        case disabled(FailedEndpoint.Reason, deadLetters: Int)
        /// It was disabled, and is enabled again.
        case enabled
        /// Its dead letters are delivered anew.
        case recovered(Int)

        fileprivate var type: String {
            switch self {
            case .registered: "clarion.observer.registered"
            case .unregistered: "clarion.observer.unregistered"
            case .disabled: "clarion.observer.disabled"
            case .enabled, .recovered: "clarion.observer.recovered"
            }
        }

        fileprivate var members: [String: JSONValue] {
            switch self {
            case .registered, .unregistered: [:]
            case .disabled(let reason, let count):
                ["reason": .string(reason.rawValue), "deadLetters": JSONValue(count)]
            case .enabled: ["reason": "enabled"]
            case .recovered(let count): ["reason": "recover", "recovered": JSONValue(count)]
            }
        }
    }

    private let log: any EventLog
    private let topic: Topic
    private let logger: Logger

    init(log: any EventLog, logger: Logger) throws(TopicError) {
        self.log = log
        self.logger = logger
        topic = try Self.topic
    }

    static var topic: Topic {
        get throws(TopicError) { try Topic("clarion.observers") }
    }

    /// Tells of a change that is stored already. If the log cannot take the event, the change stands nevertheless.
    func post(_ change: Change, of observer: any StoredObserver) {
        // Not the URL: it may be a secret by itself, and whoever may hear the topic would learn it.
        var members: [String: JSONValue] = [
            "id": .string(observer.id.description),
            "kind": .string(observer.kind.rawValue),
            "topics": .array(observer.topics.map { .string($0.text) }),
        ]
        members.merge(change.members) { _, new in new }
        let draft = EventDraft(
            topic: topic,
            type: change.type,
            contentType: "application/json",
            data: JSONValue.object(members).bytes
        )
        log.append([draft], if: nil) { [logger, id = observer.id, type = change.type] result in
            guard case .failure(let error) = result else { return }
            logger.warning(
                "cannot tell of an observer",
                metadata: ["observer": "\(id)", "type": "\(type)", "error": "\(error)"]
            )
        }
    }
}
