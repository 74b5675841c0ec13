/// A durable observer, such as a webhook, as the log keeps it.
package struct ObserverRecord: Hashable, Sendable {
    /// Names the observer; one record per id.
    package var id: ObserverID
    /// The topics and patterns it is registered for, at most one delivery per event however many match.
    package var topics: [TopicPattern]
    /// The only event types it wants; empty for all, also for events without a type.
    package var types: [String]
    /// Whether it is to get events that are posted from now on: false while it is disabled. A paused one gets them later.
    package var receives: Bool
    /// Everything else about it: JSON that only the hub reads.
    package var document: [UInt8]
    /// When it was first saved; what replaces it keeps this.
    package var createdAt: Timestamp
    /// Increases with each save that changes something, and is never used twice in a log. Given by the log; what is handed in
    /// does not matter.
    package var revision: Int64

    package init(
        id: ObserverID,
        topics: [TopicPattern],
        types: [String] = [],
        receives: Bool = true,
        document: [UInt8] = [],
        createdAt: Timestamp,
        revision: Int64 = 0
    ) {
        (self.id, self.topics, self.types, self.receives) = (id, topics, types, receives)
        (self.document, self.createdAt, self.revision) = (document, createdAt, revision)
    }
}
