/// An endpoint in the form the transport sends to, made once per registration instead of once per attempt.
final class Target: Sendable {
    let endpoint: Endpoint

    /// The registrant's headers as NUL-terminated lines `name: value`, one after another.
    let customLines: [UInt8]

    let signers: [Signer]

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        self.signers = endpoint.secrets.map(Signer.init)
        self.customLines = endpoint.headers.flatMap { Array("\($0.name): \($0.value)\0".utf8) }
    }

    /// How many attempts may be under way: one if the deliveries are ordered.
    var window: Int {
        if endpoint.ordered { return 1 }
        return min(max(endpoint.maxInFlight, Endpoint.inFlightBounds.lowerBound), Endpoint.inFlightBounds.upperBound)
    }
}
