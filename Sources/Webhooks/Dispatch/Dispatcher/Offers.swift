/// What was committed and has yet to be offered to its endpoints.
///
/// Whoever commits only leaves it here: a thousand endpoints of one event must not hold up the posts after it.
struct Offers {
    /// The deliveries of some events to one endpoint.
    struct Offer: Sendable {
        let id: String
        let format: Endpoint.Format
        /// Makes them, lowest id first.
        let deliveries: @Sendable () -> [DueDelivery]
        /// Whether they are to be read instead: some may be gone.
        var isStale = false
    }

    /// What was left since it was looked for last.
    private(set) var waiting: [Offer] = []

    /// Whether some were left out: then every endpoint's are to be read.
    private(set) var isIncomplete = false

    /// The bytes of their events, which are the same for many endpoints, and the last of these.
    private var bytes = 0
    private var last = Int64.min

    /// How much may wait. What waits for longer than a moment does so because the thread that takes it is busy.
    private static let mostBytes = 32 << 20
    private static let mostOffers = 65_536

    /// Adds an offer, with the last of its events and the bytes of these.
    ///
    /// - Returns: whether it is the first.
    mutating func add(_ offer: Offer, last: Int64, size: Int) -> Bool {
        let isFirst = waiting.isEmpty && !isIncomplete
        if last != self.last { bytes += size }
        self.last = last
        if bytes <= Self.mostBytes, waiting.count < Self.mostOffers {
            waiting.append(offer)
        } else {
            isIncomplete = true
        }
        return isFirst
    }

    /// Has what waits read instead: some of it may be gone from the store.
    mutating func expire() {
        for place in waiting.indices { waiting[place].isStale = true }
    }
}
