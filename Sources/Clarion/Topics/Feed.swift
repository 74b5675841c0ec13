import EventLog

/// What observers register for: the events that any of some patterns matches, in the form in which they want them.
///
/// Observers of the same patterns share a feed, so an event is matched once for all of them. One whose patterns overlap
/// hears an event once, for it has one feed.
struct Feed: Hashable, Sendable {
    let patterns: Set<TopicPattern>
    let format: Format

    /// How a run of events is encoded for the observers that hear it.
    enum Format: Sendable {
        /// Frames of server-sent events that carry the data as posted.
        case plain
        /// Frames whose data is the event as history shows it.
        case json
        /// Frames whose data is the event as a structured CloudEvent.
        case cloudEvents
        /// Not at all.
        case none
    }
}
