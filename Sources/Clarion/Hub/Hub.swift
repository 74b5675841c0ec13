import Locking
public import EventLog
public import Logging
import MicroHTTP
import Synchronization
import Webhooks

/// The hub: one log, one broadcaster, and everything that listens.
///
/// ```swift
/// let hub = try await Hub.start(HubConfiguration(storage: .directory("data")), logger: Logger(label: "hub"))
/// let event = try await hub.post(EventDraft(topic: Topic("greetings"), data: Array("hello".utf8)))
/// await hub.shutdown()
/// ```
///
/// An event goes one way: a post is appended to the log; the log's writer commits it and tells the broadcaster; the
/// broadcaster tells the observers, none of which it owns; then the post is acknowledged.
public final class Hub: Sendable {
    /// The version that `User-Agent` and `--version` name.
    public static let version = "0.1.0"

    let log: SQLiteEventLog
    let broadcaster = TopicBroadcaster()
    let directory = ObserverDirectory()
    let streams: StreamHost
    let webhooks: WebhookRegistry
    let work = BackgroundWork()
    let logger: Logger

    private let dispatcher: WebhookDispatcher
    /// The webhooks that answered 410, on their way from the dispatcher to the registry.
    private let gone: AsyncStream<AttemptOutcome>
    private let whoIsGone: AsyncStream<AttemptOutcome>.Continuation
    private let writer: StreamWriter
    private let server = Lock<HTTPServer?>(nil)
    private let draining = Atomic<Bool>(false)
    private let running = Lock<Task<Void, Never>?>(nil)

    /// Opens the log, takes up the registered webhooks, and listens.
    ///
    /// - Throws: ``EventLogError`` if the log cannot be opened, ``ServerError`` if the address cannot be had.
    public static func start(_ configuration: HubConfiguration, logger: Logger) async throws -> Hub {
        let log = try SQLiteEventLog(at: configuration.storage, durability: configuration.durability)
        do {
            let hub = try Hub(configuration, log: log, logger: logger)
            try await hub.begin(configuration)
            return hub
        } catch {
            await log.close()
            throw error
        }
    }

    private init(_ configuration: HubConfiguration, log: SQLiteEventLog, logger: Logger) throws {
        self.log = log
        self.logger = logger
        writer = try StreamWriter(
            keepAlive: .init(interval: configuration.keepAlive, frame: ServerSentEvent.keepAlive)
        )
        let (gone, whoIsGone) = AsyncStream.makeStream(of: AttemptOutcome.self)
        self.gone = gone
        self.whoIsGone = whoIsGone
        dispatcher = WebhookDispatcher(
            store: LogDeliveryStore(log: log),
            configuration: configuration.webhooks,
            logger: logger
        ) { outcomes in
            for outcome in outcomes where outcome.result == .gone { whoIsGone.yield(outcome) }
        }
        streams = StreamHost(
            log: log,
            broadcaster: broadcaster,
            directory: directory,
            writer: writer,
            reader: StreamReader(log: log, work: work),
            outboxBytes: configuration.outboxBytes
        )
        webhooks = WebhookRegistry(
            store: log,
            dispatcher: dispatcher,
            broadcaster: broadcaster,
            directory: directory,
            logger: logger
        )
    }

    private func begin(_ configuration: HubConfiguration) async throws {
        running.withLock { $0 = Task { [work] in await work.run() } }
        log.follow { [broadcaster] events in broadcaster.notify(events) }
        work.start { [gone, webhooks] in
            for await outcome in gone { await webhooks.disable(outcome.endpoint, at: outcome.url, reason: "gone") }
        }
        dispatcher.start()
        do {
            try await webhooks.load()
            let router = Router(for: self, configuration: configuration)
            let started = try HTTPServer(configuration: configuration.server, writer: writer, logger: logger) {
                request in
                router.respond(to: request)
            }
            server.withLock { $0 = started }
        } catch {
            await stop(grace: .zero)
            throw error
        }
    }

    /// The port that is listened on.
    public var port: UInt16 { server.withLock { $0?.port } ?? 0 }

    /// Whether the hub is shutting down: it takes no more posts.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Posts an event and returns it once it is committed.
    ///
    /// - Throws: ``EventLogError`` if it could not be stored; then nothing of it was.
    public func post(_ draft: EventDraft) async throws(EventLogError) -> Event {
        try await log.append([draft])[0]
    }

    /// Shuts down in order: takes no more posts, ends the streams, lets attempts under way finish, closes the log.
    ///
    /// - Parameter grace: how long attempts under way may take.
    public func shutdown(grace: Duration = .seconds(8)) async {
        guard draining.exchange(true, ordering: .relaxed) == false else { return }
        await stop(grace: grace)
    }

    private func stop(grace: Duration) async {
        let server = server.withLock { $0 }
        server?.quiesce()
        streams.endAll()
        async let attempts: Void = dispatcher.shutdown(grace: grace)
        let isStopped = await server?.stop(grace: .seconds(2)) ?? true
        if isStopped { writer.stop() } else { logger.error("requests were still waiting for their answer at shutdown") }
        await attempts
        whoIsGone.finish()
        work.finish()
        await running.withLock { $0 }?.value
        await log.close()
    }
}
