import EventLog
import Locking
import Synchronization

/// The bindings of a hub: their strong owner.
final class TopicBindings: Sendable {
    private struct State {
        var bindings: [Topic: any TopicBinding] = [:]
        var topics: [NotificationID: Topic] = [:]
    }

    private let state = Lock(State())
    /// How many there are, so that a hub without any pays nothing for them at a post.
    private let count = Atomic(0)

    /// - Throws: `topic-bound`, `notification-bound`.
    func add(_ binding: any TopicBinding) throws(HubError) {
        let refusal: HubError? = state.withLock { state in
            guard state.bindings[binding.topic] == nil else {
                return HubError(code: HubError.topicBound, message: "The topic is bound to a notification already.")
            }
            guard state.topics[binding.notification] == nil else {
                return HubError(
                    code: HubError.notificationBound,
                    message: "The notification is bound to another topic of this hub already."
                )
            }
            state.bindings[binding.topic] = binding
            state.topics[binding.notification] = binding.topic
            count.store(state.bindings.count, ordering: .releasing)
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Ends the binding of a notification. Returns false if there was none.
    func remove(_ notification: NotificationID) -> Bool {
        let removed = state.withLock { state in
            let topic = state.topics.removeValue(forKey: notification)
            let removed = topic.flatMap { state.bindings.removeValue(forKey: $0) }
            count.store(state.bindings.count, ordering: .releasing)
            return removed
        }
        removed?.end()
        return removed != nil
    }

    /// Ends all bindings.
    func removeAll() {
        let removed = state.withLock { state in
            defer { state = State() }
            count.store(0, ordering: .releasing)
            return Array(state.bindings.values)
        }
        for binding in removed { binding.end() }
    }

    /// Checks a draft against the binding of its topic, if it has one.
    ///
    /// - Returns: the draft as it is to be stored: data that has proved to be JSON is stored as such, whatever the
    ///   publisher took it for; `curl -d` claims a form.
    func admit(_ draft: EventDraft) throws(InfoMismatch) -> EventDraft {
        guard count.load(ordering: .acquiring) > 0, let binding = state.withLock({ $0.bindings[draft.topic] }) else {
            return draft
        }
        try binding.check(draft.data)
        var draft = draft
        if !ContentType.isJSON(draft.contentType) { draft.contentType = ContentType.json }
        return draft
    }
}
