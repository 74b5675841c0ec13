import EventLog

/// What observers register for: the events that any of some patterns matches, in the form in which they want them.
///
/// Observers of the same patterns share a feed, so an event is matched once for all of them. One whose patterns overlap
/// hears an event once, for it has one feed.
struct Feed: Hashable, Sendable {
    let patterns: Set<TopicPattern>
    let format: EventEnvelope
}
