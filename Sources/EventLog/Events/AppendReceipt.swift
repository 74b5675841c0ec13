/// How an append was carried out.
public struct AppendReceipt: Sendable {
    /// One event for each draft, in their order.
    public let events: [Event]

    /// Whether nothing was stored, because all of it had been under the same keys: the events are those of that time.
    public let isReplay: Bool

    /// A receipt of those parts.
    public init(events: [Event], isReplay: Bool = false) { (self.events, self.isReplay) = (events, isReplay) }
}
