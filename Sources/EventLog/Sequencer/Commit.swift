/// What one transaction added to the log: what followers are told of.
public struct Commit: Sendable {
    /// The events, in sequence order; at least one.
    public let events: [Event]

    /// How long the transaction took, the wait for the disk included.
    public let duration: Duration

    init(events: [Event], duration: Duration = .zero) {
        self.events = events
        self.duration = duration
    }
}
