import EventLog

/// What came of a command that is no append, on this node's copy.
enum Applied: Sendable {
    case nothing
    case saved(SavedObserver)
    case deleted(Bool)
    case deletedObservers([ObserverID])
    case topic(TopicSummary?)
    case recorded([ObserverID: Duration])
    case count(Int?)
    /// Whether the leases count.
    case leased(Bool)
}
