/// An idempotency key of a topic. Keys are the same if their bytes are, as they are for the table.
package struct TopicKey: Hashable, Sendable {
    private let topic: Topic
    private let bytes: [UInt8]

    /// - Returns: nil for a draft without a key.
    package init?(of draft: EventDraft) {
        guard let key = draft.idempotencyKey else { return nil }
        (topic, bytes) = (draft.topic, Array(key.text.utf8))
    }
}
