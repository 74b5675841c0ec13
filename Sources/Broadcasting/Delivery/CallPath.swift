/// The way of one registration's calls: into its observer's strand, and where they run.
final class CallPath: Sendable {
    let strand: Strand
    let destination: WeakDelivery
    private let key: StrandDirectory.Key?
    private let keeper: Readings?

    /// - Parameters:
    ///   - key: whose strand it is; `nil` gives the registration one of its own.
    ///   - keeper: whose address the key has, if nothing else keeps it from being used again.
    /// - Returns: `nil` for `.immediate`, which needs none.
    init?(_ delivery: Delivery, of key: StrandDirectory.Key?, keeping keeper: Readings? = nil) {
        guard let destination = WeakDelivery(delivery) else { return nil }
        self.destination = destination
        self.key = key
        self.keeper = keeper
        strand = key.map(StrandDirectory.enter) ?? Strand()
    }

    deinit {
        strand.synchronize()
        if let key { StrandDirectory.leave(key) }
    }
}
