/// An idempotency key and the event it was used for.
package struct UsedKey: Sendable, Equatable {
    package let topic: Topic
    package let text: String
    package let event: Position

    package init(_ text: String, of topic: Topic, for event: Position) {
        (self.topic, self.text, self.event) = (topic, text, event)
    }
}
