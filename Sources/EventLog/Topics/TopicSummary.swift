/// What a log knows of a topic.
public struct TopicSummary: Hashable, Sendable {
    /// Its name.
    public let topic: Topic

    /// How many events it has.
    public let events: Int64

    /// How many bytes of data they have.
    public let bytes: Int64

    /// The oldest event that is retained; nil if there is none.
    public let first: EventID?

    /// The newest event; nil if there is none.
    public let last: EventID?

    /// Its own bounds; nil if it has none of its own.
    public let retention: Retention?

    /// A summary of a topic that has nothing.
    public static func empty(_ topic: Topic) -> TopicSummary {
        TopicSummary(topic: topic, events: 0, bytes: 0, first: nil, last: nil, retention: nil)
    }
}
