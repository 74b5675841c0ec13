/// An endpoint in the form the transport sends to, made once per registration instead of once per attempt.
final class Destination: Sendable {
    let endpoint: Endpoint

    /// The registrant's headers as NUL-terminated lines `name: value`, one after another.
    let customLines: [UInt8]

    /// What an endpoint that sends its request back must not have shown or kept.
    let credentials: CredentialMask

    /// Whether it is reached without a name that must be looked up first.
    let isAddress: Bool

    /// The present secret's; beside it, the one's before.
    private let signer: Signer
    private let retiring: Signer?

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        isAddress = endpoint.url.address != nil
        signer = Signer(endpoint.secrets.current)
        retiring = endpoint.secrets.previous.map { Signer($0.secret) }
        customLines = endpoint.headers.flatMap { Array("\($0.name): \($0.value)\0".utf8) }
        credentials = CredentialMask(endpoint.headers)
    }

    /// What signs an attempt that is made then, newest first.
    ///
    /// - Parameter now: by the store's time.
    func signers(at now: Int64) -> [Signer] {
        guard let retiring, let end = endpoint.secrets.previous?.until, now < end else { return [signer] }
        return [signer, retiring]
    }

    /// How many attempts may be under way: one if the deliveries are ordered.
    var window: Int {
        endpoint.ordered ? 1 : endpoint.maxInFlight
    }
}
