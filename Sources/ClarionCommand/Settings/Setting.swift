/// What can be set, by the name that it has as an option and as a member of the file: this list alone says which names
/// are known.
enum Setting: String, CaseIterable {
    case host
    case port
    case data
    case log
    case durability
    case retentionEvents = "retention-events"
    case retentionAge = "retention-age"
    case retentionBytes = "retention-bytes"
    case credentials
    case allowHost = "allow-host"
    case allowOrigin = "allow-origin"
    case trustedProxy = "trusted-proxy"
    case publicURL = "public-url"
    case tlsCert = "tls-cert"
    case tlsKey = "tls-key"
    case allowEgress = "allow-egress"
    case webhooksHTTPSOnly = "webhooks-https-only"
    case egressProxy = "egress-proxy"
    case webhooksOrigin = "webhooks-origin"
    case webhooksCAFile = "webhooks-ca-file"
    case webhooksRetry = "webhooks-retry"
    case webhooksDisableAfter = "webhooks-disable-after"
    case masterKeyFile = "master-key-file"
    /// The key itself. No option: others could read it in the list of processes.
    case masterKey = "master-key"
    case keepAlive = "keep-alive"
    case maxBody = "max-body"
    case maxBodyMemory = "max-body-memory"
    case maxStreams = "max-streams"
    case maxStreamsPerClient = "max-streams-per-client"
    case rate
    case maxTopics = "max-topics"
    case maxObservers = "max-observers"
    case maxIdempotencyKeys = "max-idempotency-keys"
    case maxReaderMemory = "max-reader-memory"
    case connectionMemory = "connection-memory"
    case `public`
    case open
    case logLevel = "log-level"
    case logFormat = "log-format"
    /// The file itself: no member of it.
    case config

    /// The names that a file may have.
    static let inFile = allCases.filter { $0 != .config }.map(\.rawValue)

    /// Its variable in the environment.
    var variable: String {
        SettingsEnvironment.prefix + rawValue.uppercased().map { $0 == "-" ? "_" : String($0) }.joined()
    }
}
