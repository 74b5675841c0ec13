/// As what an endpoint is registered, and whether attempts may be made.
struct RegisteredEndpoint {
    /// `nil` once removed.
    private(set) var destination: Destination?

    /// The most attempts that may be under way: what the endpoint takes, within its share of all.
    private(set) var window = 0

    /// Whether the endpoint answered 410. Holds until it is registered again.
    var isGone = false

    /// How many have asked that nothing be sent: while they change what is pending, say.
    var holds = 0

    /// Whether attempts may be made at all.
    var isOpen: Bool {
        guard let destination else { return false }
        return destination.endpoint.isEnabled && !isGone && holds == 0
    }

    var isOrdered: Bool { destination?.endpoint.ordered == true }

    mutating func set(_ destination: Destination, share: Int) {
        self.destination = destination
        window = min(destination.endpoint.ordered ? 1 : destination.endpoint.maxInFlight, share)
        isGone = false
    }

    mutating func remove() {
        destination = nil
        holds = 0
    }
}
