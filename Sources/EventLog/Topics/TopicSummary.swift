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

    /// A summary of those parts.
    public init(
        topic: Topic,
        events: Int64,
        bytes: Int64,
        first: EventID?,
        last: EventID?,
        retention: Retention?
    ) {
        self.topic = topic
        self.events = events
        self.bytes = bytes
        self.first = first
        self.last = last
        self.retention = retention
    }
}
