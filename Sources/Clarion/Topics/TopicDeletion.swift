import EventLog
import Webhooks

/// Deletes topics, with what goes on for them.
struct TopicDeletion: Sendable {
    let store: any TopicStore
    let dispatcher: WebhookDispatcher
    let streams: StreamHost

    /// Deletes a topic's events and settings.
    ///
    /// - Returns: whether there was anything.
    func delete(_ topic: Topic) async throws(EventLogError) -> Bool {
        guard try await store.deleteTopic(topic) else { return false }
        follow(topic)
        return true
    }

    /// Has nothing more delivered of a topic that was deleted, and ends the streams that hear it alone.
    func follow(_ topic: Topic) {
        dispatcher.forget(topic: topic.name)
        streams.endAll(of: topic)
    }
}
