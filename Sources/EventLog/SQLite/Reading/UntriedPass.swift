/// A count of the untried events of all observers, from slice to slice.
struct UntriedPass: Sendable {
    private(set) var total = 0
    /// The number of the last observer that was counted.
    private var last = Int64.min
    private var count = UntriedCount()

    /// Goes on for one slice.
    /// - Returns: whether that was the last.
    mutating func advance(with reader: inout LogReader, knowing backlogs: CountedBacklogs) throws -> Bool {
        var rows = LogReader.slice
        while let subscription = try Subscription(waitingAfter: last, reader.db) {
            guard rows > 0,
                let found = try reader.countUntried(by: subscription, &count, knowing: backlogs, rows: &rows)
            else { return false }
            rows -= LogReader.observerCost
            (total, last, count) = (total + found, subscription.key, UntriedCount())
        }
        return true
    }
}
