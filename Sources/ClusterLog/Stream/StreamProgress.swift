/// Tells whether a node takes what the stream holds: what it held some seconds ago should have come by now. Pure.
struct StreamProgress {
    /// How long what is stored may take to come: leases run out then.
    static let stallTimeout = Duration.seconds(5)

    private var awaited: (sequence: UInt64, since: ContinuousClock.Instant)?

    /// Takes in how far the node and the stream are.
    /// - Parameter last: the place of the stream's newest message; nil if the servers do not tell.
    /// - Returns: whether what should have come has not.
    mutating func isStuck(taken: UInt64, last: UInt64?, at now: ContinuousClock.Instant) -> Bool {
        if let awaited, taken >= awaited.sequence { self.awaited = nil }
        if awaited == nil, let last, last > taken { awaited = (last, now) }
        return awaited.map { now - $0.since > Self.stallTimeout } ?? false
    }
}
