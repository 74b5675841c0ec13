/// The way of one registration's calls: into its observer's strand, and where they run.
final class CallPath: Sendable {
    let strand: Strand
    let destination: WeakDelivery
    private let key: StrandDirectory.Key?

    /// - Parameter key: whose strand it is; `nil` gives the registration one of its own.
    /// - Returns: `nil` for `.immediate`, which needs none.
    init?(_ delivery: Delivery, of key: StrandDirectory.Key?) {
        guard let destination = WeakDelivery(delivery) else { return nil }
        self.destination = destination
        self.key = key
        strand = key.map(StrandDirectory.enter) ?? Strand()
    }

    deinit {
        strand.synchronize()
        if let key { StrandDirectory.leave(key) }
    }
}
