public import ClusterLog
public import CoreMetrics
public import EventLog
public import MicroHTTP
public import Tracing
public import Webhooks

/// How a ``Hub`` runs. Every default has its reason in docs/operating.md.
public struct HubConfiguration: Sendable {
    /// Where the hub listens and what it allows.
    public var server: ServerConfiguration

    /// Where the log is kept.
    public var storage: SQLiteEventLog.Storage

    /// What an acknowledged event survives.
    public var durability: Durability

    /// The cluster whose log is used instead of one of this process's own. Then ``durability`` does not matter, and in the folder
    /// of ``storage``, or in that for temporary files, is a copy of the log for as long as the hub runs.
    public var cluster: ClusterAddress?

    /// How much history topics keep that have no bounds of their own, within `Retention.eventBounds`, `ageBounds` and
    /// `byteBounds`; by default all of it.
    public var retention: Retention

    /// How webhooks are delivered.
    public var webhooks: WebhookConfiguration

    /// For how long a webhook may fail without one success before it is disabled.
    public var disableFailingAfter: Duration

    /// Seals webhooks' secrets and credentials in the log; nil leaves them plain. What is sealed needs it for good.
    public var masterKey: MasterKey?

    /// The silence after which a stream is sent a comment.
    public var keepAlive: Duration

    /// How many bytes may wait for one stream before it stops hearing live events and catches up from the log.
    public var outboxBytes: Int

    /// How many streams may be open at once; unless told otherwise what this process's descriptors allow, less a few, so
    /// that posts and management get through beside them. What is more than those allow counts as that.
    public var maximumStreams: Int

    /// How many bytes may wait to be written to all readers together, streams and others, before reading for them from
    /// the log waits.
    public var readerMemory: Int

    /// Whether the hub listens for HTTP. One that does not is its program's alone; it still delivers to webhooks.
    public var listens = true

    /// Routes of the program's own, beside the hub's.
    public var routes: [HubRoute] = []

    /// The folder whose files are served at `/`; nil serves none.
    public var publicFolder: String?

    /// Further names that the hub answers to, beside `localhost` and the loopback addresses. Unless there are any, a hub
    /// that listens on another address than loopback answers to all.
    public var allowedHosts: [HostName] = []

    /// How many streams one address may have open, and one credential; at least 1.
    public var maximumStreamsPerClient = 1_000

    /// How many times a second a client may change something, and twice as often at once after a rest: a credential, or an
    /// address where none is shown. At most a million; 0 is as often as it likes.
    public var changesPerSecond = 0

    /// How many topics there may be that have events or settings.
    public var maximumTopics = 1_000_000

    /// How many observers may be registered that last: webhooks. Streams have bounds of their own, and objects are the
    /// program's.
    public var maximumObservers = 100_000

    /// How many idempotency keys are remembered.
    public var maximumIdempotencyKeys = 10_000_000

    /// The proxies that are believed when they tell for whom they ask: by `Forwarded`, or `X-Forwarded-For`,
    /// `X-Forwarded-Host` and `X-Forwarded-Proto`.
    public var trustedProxies: [CIDRBlock] = []

    /// Where clients reach the hub, if a proxy in front of it is known by another name, or under a path.
    public var publicURL: PublicURL?

    /// The file of who may do what (docs/operating.md); nil lets everybody who reaches the hub do everything.
    public var credentialsFile: String?

    /// The origins, beside the hub's own, whose web pages may use it.
    public var allowedOrigins = AllowedOrigins.none

    /// Where the hub counts beside `GET /metrics`: the backend that the program has bootstrapped, unless told otherwise.
    /// The names are those of `GET /metrics`, but for `process_…`; gauges are handed over every ten seconds.
    public var metrics: any MetricsFactory = MetricsSystem.factory

    /// Where posts over HTTP and attempts at deliveries are spans: the tracer that the program has bootstrapped, unless told
    /// otherwise. Without one, traces go through the hub all the same.
    public var tracer: any Tracer = InstrumentationSystem.tracer

    /// A configuration; everything but the storage has a default.
    public init(
        server: ServerConfiguration = ServerConfiguration(serverName: "clarion"),
        storage: SQLiteEventLog.Storage,
        durability: Durability = .disk,
        retention: Retention = Retention(),
        webhooks: WebhookConfiguration = WebhookConfiguration(userAgent: "clarion/\(Hub.version)"),
        disableFailingAfter: Duration = .seconds(5 * 86_400),
        masterKey: MasterKey? = nil,
        keepAlive: Duration = .seconds(15),
        outboxBytes: Int = 1024 * 1024,
        maximumStreams: Int = DescriptorBudget.ofProcess.streams,
        readerMemory: Int = 256 * 1024 * 1024,
        publicFolder: String? = nil
    ) {
        self.server = server
        self.storage = storage
        self.durability = durability
        self.retention = retention
        self.webhooks = webhooks
        self.disableFailingAfter = disableFailingAfter
        self.masterKey = masterKey
        self.keepAlive = keepAlive
        self.outboxBytes = outboxBytes
        self.maximumStreams = maximumStreams
        self.readerMemory = readerMemory
        self.publicFolder = publicFolder
    }
}
