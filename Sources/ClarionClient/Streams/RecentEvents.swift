/// The events that were shown last, so that none is shown again whatever comes: of a hub whose log was put back to what it
/// was before, or of a proxy that repeats itself.
struct RecentEvents {
    /// How many are known.
    private let capacity: Int
    private var known: Set<Int> = []
    private var order: [Int] = []
    private var oldest = 0

    init(capacity: Int = 4096) {
        self.capacity = capacity
    }

    /// Notes an event. Its time counts, too: a log that was put back gives ids out again.
    ///
    /// - Returns: false if it was noted before.
    mutating func insert(_ event: ClarionClient.Event) -> Bool {
        var hasher = Hasher()
        hasher.combine(event.id)
        hasher.combine(event.time)
        let digest = hasher.finalize()
        guard known.insert(digest).inserted else { return false }
        if order.count < capacity {
            order.append(digest)
        } else {
            known.remove(order[oldest])
            order[oldest] = digest
            oldest = (oldest + 1) % capacity
        }
        return true
    }
}
