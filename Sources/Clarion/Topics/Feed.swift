import EventLog

/// What an observer registers for: the events of a pattern, in the form in which it wants them.
struct Feed: Hashable, Sendable {
    let pattern: TopicPattern
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
