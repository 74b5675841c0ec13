/// An endpoint in the form the transport sends to, made once per registration instead of once per attempt.
final class Destination: Sendable {
    let endpoint: Endpoint

    /// The registrant's headers as NUL-terminated lines `name: value`, one after another.
    let customLines: [UInt8]

    /// What an endpoint that sends its request back must not have shown or kept.
    let credentials: CredentialMask

    /// Whether it is reached without a name that must be looked up first.
    let isAddress: Bool

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
        isAddress = endpoint.url.address != nil
        customLines = endpoint.headers.flatMap { Array("\($0.name): \($0.value)\0".utf8) }
        credentials = CredentialMask(endpoint.headers)
    }
}
