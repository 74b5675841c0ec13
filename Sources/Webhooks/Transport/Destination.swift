import Synchronization

/// An endpoint in the form the transport sends to, made once per registration instead of once per attempt.
final class Destination: Sendable {
    let endpoint: Endpoint

    /// The registrant's headers as NUL-terminated lines `name: value`, one after another.
    let customLines: [UInt8]

    /// What an endpoint that sends its request back must not have shown or kept.
    let credentials: CredentialMask

    /// Whether it is reached without a name that must be looked up first.
    let isAddress: Bool

    /// Until when attempts go over HTTP/1.1, by the store's time.
    private let isPlainUntil = Atomic<Int64>(.min)

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

    /// For how long an endpoint that let an attempt time out is spoken to without multiplexing, in milliseconds.
    private static let plainPeriod: Int64 = 3_600_000

    /// Whether attempts may share a connection (HTTP/2).
    ///
    /// libcurl closes a connection on which an attempt timed out, unless others share it: then it is used again, also
    /// if what is behind it is stuck while others behind the same name are not. So an endpoint that let an attempt time
    /// out gets connections of HTTP/1.1 for an hour; the stuck one is no longer used, and goes.
    func isMultiplexed(at now: Int64) -> Bool {
        now >= isPlainUntil.load(ordering: .relaxed)
    }

    /// Notes that an attempt timed out.
    func timedOut(at now: Int64) {
        if endpoint.url.scheme == "https" { isPlainUntil.store(now + Self.plainPeriod, ordering: .relaxed) }
    }

    /// How many attempts may be under way: one if the deliveries are ordered.
    var window: Int {
        endpoint.ordered ? 1 : endpoint.maxInFlight
    }
}
