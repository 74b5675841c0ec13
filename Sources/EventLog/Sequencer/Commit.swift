/// What one transaction added to the log: what followers hear of.
public struct Commit: Sendable {
    /// The events, in sequence order; at least one.
    public let events: [Event]

    /// How long the transaction took, the wait for the disk included.
    public internal(set) var duration = Duration.zero
}
