/// What another node of a cluster has done to a durable observer.
package enum ObserverChange: Sendable {
    /// It was registered, or replaced.
    case saved(ObserverRecord)
    /// It was deleted, at that revision: what has a later one is another. Also by this node.
    case deleted(ObserverID, Int64)
    /// Deliveries of it were made due.
    case redelivered(ObserverID)
}
