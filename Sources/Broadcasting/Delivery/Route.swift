/// The way of one registration's calls: into its observer's lane, and where they run.
final class Route: Sendable {
    let lane: Lane
    let destination: Destination
    private let key: LaneDirectory.Key?

    /// - Parameter key: whose lane it is; `nil` gives the registration one of its own.
    /// - Returns: `nil` for `.immediate`, which needs none.
    init?(_ delivery: Delivery, of key: LaneDirectory.Key?) {
        guard let destination = Destination(delivery) else { return nil }
        self.destination = destination
        self.key = key
        lane = key.map(LaneDirectory.enter) ?? Lane()
    }

    deinit {
        lane.synchronize()
        if let key { LaneDirectory.leave(key) }
    }
}
