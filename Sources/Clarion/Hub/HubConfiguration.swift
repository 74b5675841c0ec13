public import EventLog
public import MicroHTTP
public import Webhooks

/// How a ``Hub`` runs. Every default has its reason in docs/operating.md.
public struct HubConfiguration: Sendable {
    /// Where the hub listens and what it allows.
    public var server: ServerConfiguration

    /// Where the log is kept.
    public var storage: SQLiteEventLog.Storage

    /// What an acknowledged event survives.
    public var durability: Durability

    /// How webhooks are delivered.
    public var webhooks: WebhookConfiguration

    /// The silence after which a stream is sent a comment.
    public var keepAlive: Duration

    /// How many bytes may wait for one stream before it stops hearing live events and catches up from the log.
    public var outboxBytes: Int

    /// The folder whose files are served at `/`; nil serves none.
    public var publicFolder: String?

    /// A configuration; everything but the storage has a default.
    public init(
        server: ServerConfiguration = ServerConfiguration(serverName: "clarion"),
        storage: SQLiteEventLog.Storage,
        durability: Durability = .disk,
        webhooks: WebhookConfiguration = WebhookConfiguration(userAgent: "clarion/\(Hub.version)"),
        keepAlive: Duration = .seconds(15),
        outboxBytes: Int = 1024 * 1024,
        publicFolder: String? = nil
    ) {
        self.server = server
        self.storage = storage
        self.durability = durability
        self.webhooks = webhooks
        self.keepAlive = keepAlive
        self.outboxBytes = outboxBytes
        self.publicFolder = publicFolder
    }
}
