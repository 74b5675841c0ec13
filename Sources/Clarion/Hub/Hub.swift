public import Access
import CoreMetrics
import FoundationEssentials
import Locking
import ClusterLog
import EventLog
public import Logging
import MicroHTTP
import Synchronization
import Tracing
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

    let log: any CompleteLog
    let broadcaster: TopicBroadcaster
    let directory: ObserverDirectory
    let names: ObserverNames
    /// The other nodes of a cluster.
    let nodes: OtherNodes
    let streams: StreamHost
    let webhooks: WebhookRegistry
    let objects: ObjectHost
    /// Those of streams and objects.
    var living: LivingObservers { LivingObservers(streams: streams, objects: objects) }
    var topicDeletion: TopicDeletion { TopicDeletion(store: log, dispatcher: dispatcher, streams: streams) }
    let bindings = TopicBindings()
    let metrics: HubMetrics
    let gauges: HubGauges
    /// Nil for a hub of its own.
    let clusterGauges: ClusterGauges?
    /// Nil if nobody traces.
    let tracer: (any Tracer)?
    let work = BackgroundWork()
    let logger: Logger
    let faults: FaultLog
    let startedAt = Timestamp.now()
    /// Which web pages may change something.
    let origins: OriginCheck
    /// Where the hub's resources are.
    let links: Links
    /// Who may do what.
    let gate: Gate
    /// Ends streams whose credentials do not count any more; nil if the hub knows none.
    let expiry: StreamExpiry?
    /// Reads the log for clients.
    let pages: ReaderPages
    /// Writes to those that are streamed to.
    let openStreams: OpenStreams
    /// Keeps answers for their clients.
    let answers: AnswerRoom
    /// What waits for all of them.
    var readerMemory: ReaderMemory { openStreams.memory }

    let dispatcher: WebhookDispatcher
    private let inbox = WebhookInbox()
    private let server = Lock<HTTPServer?>(nil)
    /// Nil until the hub has begun.
    private let routes = Lock<Router?>(nil)
    private let draining = Atomic<Bool>(false)
    /// The one stop, which everybody who asks for it awaits.
    private let stopping = Lock<Task<Void, Never>?>(nil)

    /// Opens the log, takes up the registered webhooks, and listens: until ``shutdown(grace:)``, which every program calls
    /// before it ends, or until the hub is released.
    ///
    /// - Throws: `EventLogError` if the log cannot be opened, `ServerError` if the address cannot be had or the process may
    ///   have too few descriptors, `CredentialsError` if the credentials cannot be read, ``HubError`` if the web
    ///   console's folder, or a webhook's stored secret, cannot be read, or with `member-invalid` if a bound of the
    ///   retention is out of range.
    public static func start(_ configuration: HubConfiguration, logger: Logger) async throws -> Hub {
        try DescriptorBudget.requireEnough()
        try configuration.retention.check()
        // The system would take what stands before it for the name.
        if case .directory(let path) = configuration.storage, path.utf8.contains(0) {
            throw EventLogError(code: .unwritable, message: "The name of the log's directory contains a NUL.")
        }
        var limits = SQLiteEventLog.Limits()
        limits.retention = configuration.retention
        limits.topics = configuration.maximumTopics
        limits.uncountedTopics = [try ObserverLifecycle.topic]
        limits.observers = configuration.maximumObservers
        limits.idempotencyKeys = configuration.maximumIdempotencyKeys
        let log: any CompleteLog
        if let cluster = configuration.cluster {
            var folder: String?
            if case .directory(let path) = configuration.storage { folder = path }
            log = try await JetStreamLog.open(cluster, copyIn: folder, limits: limits) { logger.error("\($0)") }
        } else {
            log = try SQLiteEventLog(at: configuration.storage, durability: configuration.durability, limits: limits)
        }
        do {
            let hub = try Hub(configuration, log: log, logger: logger)
            try await hub.begin(configuration)
            return hub
        } catch {
            await log.close()
            throw error
        }
    }

    private init(_ configuration: HubConfiguration, log: any CompleteLog, logger: Logger) throws {
        self.log = log
        self.logger = logger
        faults = FaultLog(logger)
        let cluster = log as? JetStreamLog
        let certificate = configuration.server.certificate
        let others = (cluster == nil ? [] : Metric.ofNodes) + (certificate == nil ? [] : Metric.ofTLS)
        metrics = HubMetrics(backend: configuration.metrics, others: others)
        gauges = HubGauges(metrics.factory, certificate: certificate)
        clusterGauges = cluster.map { [factory = metrics.factory] in ClusterGauges(of: $0, factory) }
        tracer = configuration.tracer is NoOpTracer ? nil : configuration.tracer
        origins = OriginCheck(allowed: configuration.allowedOrigins, publicURL: configuration.publicURL)
        links = Links(configuration.publicURL)
        directory = ObserverDirectory()
        names = ObserverNames(directory: directory)
        nodes = OtherNodes(exchange: cluster?.exchange) { log.timeOfDay }
        let memory = ReaderMemory(limit: configuration.readerMemory)
        openStreams = OpenStreams(
            keepAlive: .init(interval: configuration.keepAlive, frame: ServerSentEvent.keepAlive),
            memory: memory
        )
        broadcaster = TopicBroadcaster(memory: memory)
        pages = ReaderPages(log: log, memory: memory, faults: faults)
        answers = AnswerRoom(memory: memory)
        let deliveries = LogDeliveryStore(
            log: log,
            failureLimit: configuration.disableFailingAfter,
            metrics: metrics,
            faults: faults,
            onFailed: inbox.add
        )
        var webhooks = configuration.webhooks
        webhooks.maximumConnections = min(webhooks.maximumConnections, DescriptorBudget.ofProcess.webhooks)
        webhooks.tracer = tracer
        dispatcher = WebhookDispatcher(store: deliveries, configuration: webhooks, logger: logger)
        let credentials = try configuration.credentialsFile.map { [dispatcher] file in
            try Credentials(file: URL(filePath: file), fetcher: KeySetClient(dispatcher: dispatcher), logger: logger)
        }
        gate = Gate(
            credentials: credentials,
            origins: origins,
            rate: configuration.changesPerSecond,
            work: work
        )
        expiry = credentials.map { [directory] in StreamExpiry($0, directory) }
        streams = StreamHost(
            log: log,
            broadcaster: broadcaster,
            directory: directory,
            names: names,
            nodes: nodes,
            shared: openStreams,
            reader: StreamReader(pages: pages, work: work, metrics: metrics),
            outboxBytes: configuration.outboxBytes,
            places: StreamPlaces(
                maximum: Self.maximumStreams(configuration, logger),
                perClient: configuration.maximumStreamsPerClient
            ),
            metrics: metrics
        )
        self.webhooks = WebhookRegistry(
            store: log,
            dispatcher: dispatcher,
            lifecycle: try ObserverLifecycle(log: log, logger: logger),
            broadcaster: broadcaster,
            directory: directory,
            masterKey: configuration.masterKey,
            logger: logger
        )
        objects = ObjectHost(log: log, broadcaster: broadcaster, directory: directory, metrics: metrics)
    }

    /// As many streams as are wanted, and no more than leave room for posts and management.
    private static func maximumStreams(_ configuration: HubConfiguration, _ logger: Logger) -> Int {
        let (wanted, possible) = (configuration.maximumStreams, DescriptorBudget.ofProcess.streams)
        guard wanted > possible else { return wanted }
        logger.warning(
            """
            Of \(wanted) streams that may be open at once, this process has open files for \(possible): more are refused. \
            Raise its limit (ulimit -n, or LimitNOFILE of its systemd unit).
            """
        )
        return possible
    }

    private func begin(_ configuration: HubConfiguration) async throws {
        work.begin()
        log.follow { [broadcaster, metrics] commit in
            metrics.count(commit)
            broadcaster.notify(commit)
        }
        if metrics.hasBackend {
            work.start { [weak self] in
                var next = ContinuousClock.now
                while self?.isDraining == false {
                    if ContinuousClock.now >= next {
                        await self?.readGauges()
                        next = .now + Self.gaugeInterval
                    }
                    try? await Task.sleep(for: .milliseconds(250))
                }
            }
        }
        log.followDeletions { [work, topicDeletion] topic in work.start { topicDeletion.follow(topic) } }
        if let expiry {
            gate.credentials?.onChange { [weak self] in self?.work.start { expiry.endTakenBack() } }
            work.start { [weak self] in await expiry.run { self?.isDraining ?? true } }
        }
        // A node has just heard from the servers, and would answer for them from what it found.
        if nodes.exchange == nil {
            work.start { [log, faults] in
                do throws(EventLogError) { try await log.probe() } catch { faults.tell(error) }
            }
        }
        dispatcher.start()
        gate.credentials?.startFetching()
        do {
            try await inbox.begin(webhooks, in: work)
            log.followDuty { [webhooks] grace in await webhooks.takeDuty(grace: grace) }
            nodes.exchange?.serve { [weak self] question in
                guard let self, let exchange = nodes.exchange else { return nil }
                return NodeResponder(hub: self, exchange: exchange).answer(question)
            }
            let router = try Routes(for: self, configuration: configuration).router
            routes.withLock { $0 = router }
            guard configuration.listens else { return }
            let sharing = CrossOriginSharing(allowed: configuration.allowedOrigins)
            let requests = RequestMetrics(metrics, patterns: router.patterns)
            let log = RequestLog(logger: logger, patterns: router.patterns)
            let proxies = TrustedProxies(configuration.trustedProxies)
            var server = configuration.server
            if let publicURL = configuration.publicURL { server.publicURL = publicURL.text }
            let started = try HTTPServer(
                configuration: server,
                streams: openStreams,
                logger: logger,
                fields: sharing.headers,
                served: { request in
                    requests.count(request)
                    log.note(request)
                },
                together: { [log = self.log] in log.together($0) },
                respond: { router.respond(to: proxies.unwrap($0)) }
            )
            self.server.withLock { $0 = started }
        } catch {
            await stop(grace: .zero).value
            throw error
        }
    }

    /// The routes, for requests that the process makes itself.
    var router: Router { routes.withLock { $0 } ?? Router() }

    /// The port that is listened on; 0 if the hub does not listen.
    public var port: UInt16 { server.withLock { $0?.port } ?? 0 }

    /// What request bodies take that are not whole yet, or whose requests wait to be answered, in bytes.
    var bodyBytes: Int { server.withLock { $0?.bodyBytes } ?? 0 }

    /// Whether the hub is shutting down: it takes no more posts.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Reads the credentials file again: streams whose key is gone end.
    ///
    /// - Throws: `CredentialsError` if it cannot be read; what was in force then stays in force.
    public func reloadCredentials() throws(CredentialsError) {
        try gate.credentials?.reload()
    }

    /// Shuts down in order: takes no more posts, ends the streams, lets attempts under way finish, closes the log.
    ///
    /// Call it before the process ends: then the hub has stopped when this returns, also where somebody else has called it
    /// before. A hub that is released without it stops in the background, and waits for no attempt.
    ///
    /// It waits for the answers to requests under way. So the handler of a ``HubRoute`` calls it in a task that the handler does
    /// not wait for: `Task { await hub.shutdown() }`. Otherwise each waits for the other until the time is up.
    ///
    /// - Parameter grace: how long attempts under way may take. The first who calls decides.
    public func shutdown(grace: Duration = .seconds(8)) async {
        await stop(grace: grace).value
    }

    /// Begins to stop, once. From then on posts are refused.
    private func stop(grace: Duration) -> Task<Void, Never> {
        stopping.withLock { stopping in
            if let stopping { return stopping }
            draining.store(true, ordering: .relaxed)
            let parts = parts
            // A task, so that nobody's cancellation cuts it short for the others.
            let task = Task { await parts.run(grace: grace) }
            stopping = task
            return task
        }
    }

    private var parts: HubShutdown {
        HubShutdown(
            server: server.withLock { $0 },
            directory: directory,
            readerMemory: readerMemory,
            webhooks: webhooks,
            dispatcher: dispatcher,
            bindings: bindings,
            inbox: inbox,
            work: work,
            log: log,
            logger: logger
        )
    }

    /// Its descriptors, threads and lock on the folder would be kept for the life of the process. Whoever releases it last may
    /// be a thread of its own, which cannot wait for itself: so it stops in a task.
    deinit {
        _ = stop(grace: .zero)
    }
}
