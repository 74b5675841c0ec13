/// What was committed and has yet to be offered to its endpoints.
///
/// Whoever commits only leaves it here: a thousand endpoints of one event must not hold up the posts after it.
struct Offers {
    /// The deliveries of some events to one endpoint.
    struct Batch: Sendable {
        let format: Endpoint.Format
        /// Makes them, lowest id first.
        let deliveries: @Sendable () -> [DueDelivery]
    }

    struct Offer: Sendable {
        let id: String
        /// Nil if what the endpoint has is to be read instead: there is much of it, or some may be gone.
        var batch: Batch?
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

    /// Adds a batch for an endpoint, with the last of its events and the bytes of these.
    ///
    /// - Returns: whether it is the first that waits.
    mutating func add(_ batch: Batch, to id: String, last: Int64, size: Int) -> Bool {
        if last != self.last { bytes += size }
        self.last = last
        return add(Offer(id: id, batch: batch))
    }

    /// Adds that what an endpoint has is to be read.
    ///
    /// - Returns: whether it is the first that waits.
    mutating func wake(_ id: String) -> Bool { add(Offer(id: id)) }

    private mutating func add(_ offer: Offer) -> Bool {
        let isFirst = waiting.isEmpty && !isIncomplete
        if bytes <= Self.mostBytes, waiting.count < Self.mostOffers {
            waiting.append(offer)
        } else {
            isIncomplete = true
        }
        return isFirst
    }

    /// Has what waits read instead: some of it may be gone from the store.
    mutating func expire() {
        for place in waiting.indices { waiting[place].batch = nil }
    }
}
