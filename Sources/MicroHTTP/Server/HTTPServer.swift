import Locking
public import Logging
import Synchronization

/// An HTTP/1.1 server on event loops, one per core, each of which drives a libmicrohttpd of its own.
///
/// ```swift
/// let server = try HTTPServer(configuration: .init(port: 0, serverName: "demo"), streams: streams, logger: logger) { request in
///     router.respond(to: request)
/// }
/// print("http://127.0.0.1:\(server.port)")
/// await server.stop()
/// ```
@safe
public final class HTTPServer: Sendable {
    /// Makes, of a request's header fields, those that its answer has, whoever answers and whatever: also if the request is
    /// refused before any handler sees it, but not where its head cannot be read. It runs on a server thread and must not
    /// block.
    public typealias CommonFields = @Sendable (HeaderFields) -> [(name: String, value: String)]

    /// Is told of each request when it is answered, once, whoever answers it. It runs on a server thread and must not block.
    ///
    /// Where version 0.9.75 of libmicrohttpd refuses something and no connection can be told from the others, nobody is told.
    public typealias Served = @Sendable (ServedRequest) -> Void

    /// Runs a body that begins what answers one request or several, on a server thread: what they ask for can then be done
    /// together, and without waiting it can be done before this returns.
    public typealias Together = @Sendable (() -> Void) -> Void

    /// What all event loops have in common.
    final class Core: Sendable {
        let configuration: ServerConfiguration
        let listening: ListeningSocket
        let streams: OpenStreams
        let bodies: BodyMemory
        let inFlight = InFlight()
        let places: ConnectionPlaces
        let logger: Logger
        let fields: CommonFields
        let served: Served
        let together: Together
        let respond: @Sendable (Request) -> Reply

        init(
            configuration: ServerConfiguration,
            streams: OpenStreams,
            logger: Logger,
            fields: @escaping CommonFields,
            served: @escaping Served,
            together: @escaping Together,
            respond: @escaping @Sendable (Request) -> Reply
        ) throws(ServerError) {
            self.configuration = configuration
            listening = try ListeningSocket(host: configuration.host, port: configuration.port)
            self.streams = streams
            bodies = BodyMemory(limit: configuration.effectiveBodyMemory)
            places = ConnectionPlaces(maximum: configuration.maximumConnections)
            self.logger = logger
            self.fields = fields
            self.served = served
            self.together = together
            self.respond = respond
        }
    }

    /// The port that is listened on, also when any free one was asked for.
    public var port: UInt16 { core.listening.port }

    private let core: Core
    /// Nil once it stops.
    private let loops: Lock<Loops?>
    /// Whether all loops have ended.
    private let hasStopped = Atomic<Bool>(false)

    /// Binds and starts to answer.
    ///
    /// - Parameters:
    ///   - streams: what its streams share.
    ///   - fields: further fields of every answer; none unless told otherwise.
    ///   - served: is told of every answer.
    ///   - together: runs what begins to answer requests later.
    ///   - respond: answers each request on a server thread; it must not wait for others.
    /// - Throws: ``ServerError`` when the address cannot be had or the threads cannot be started.
    public init(
        configuration: ServerConfiguration,
        streams: OpenStreams,
        logger: Logger,
        fields: @escaping CommonFields = { _ in [] },
        served: @escaping Served = { _ in },
        together: @escaping Together = { $0() },
        respond: @escaping @Sendable (Request) -> Reply
    ) throws(ServerError) {
        core = try Core(
            configuration: configuration,
            streams: streams,
            logger: logger,
            fields: fields,
            served: served,
            together: together,
            respond: respond
        )
        loops = Lock(try Loops(core))
    }

    deinit {
        core.inFlight.close()
        guard !stopLoops() else { return }
        // They go on for the rest of the process's life.
        if let loops = loops.withLock({ $0 }) { _ = unsafe Unmanaged.passRetained(loops) }
    }

    /// Open connections, streams among them.
    public var connections: Int { loops.withLock { $0 }?.connections ?? 0 }

    /// Bytes in memory of request bodies that have not come to their end, or whose requests wait to be answered: what
    /// ``ServerConfiguration/bodyMemory`` bounds.
    public var bodyBytes: Int { core.bodies.usedBytes }

    /// Accepts no more connections; those that are open go on.
    ///
    /// Connection attempts are dropped, not refused: a client that tries again a second later reaches the next process.
    public func quiesce() {
        core.listening.dropArrivals()
    }

    /// Answers what was begun, then stops. Streams must have been told to end; those that have not after the grace
    /// period are cut.
    ///
    /// The port stays taken, and what arrives there is dropped, until ``leavePort()``.
    ///
    /// - Returns: false if a request still waits for its answer a second after the grace period. The server then goes
    ///   on, since libmicrohttpd may not be stopped with suspended connections; the process should exit.
    @discardableResult
    public func stop(grace: Duration = .seconds(5)) async -> Bool {
        quiesce()
        core.inFlight.drain()
        let loops = loops.withLock { $0 }
        loops?.order(.watch)
        let deadline = ContinuousClock.now + grace
        await wait(until: deadline) { $0.isEmpty }
        core.inFlight.close()
        if core.inFlight.suspended > 0 {
            loops?.order(.cut)
            // Cutting does not depend on any client, so a second is ample.
            await wait(until: deadline + .seconds(1)) { $0.suspended == 0 }
        }
        return stopLoops()
    }

    /// Gives the port of a server that has stopped to whoever wants it; from now on connection attempts are refused. A server
    /// that could not be stopped keeps it, and one that is released gives it back by itself.
    public func leavePort() {
        if hasStopped.load(ordering: .acquiring) { core.listening.close() }
    }

    /// Returns false, having done nothing, if connections are suspended: libmicrohttpd would abort the process.
    ///
    /// - Precondition: the gate of ``InFlight`` is closed.
    private func stopLoops() -> Bool {
        guard core.inFlight.suspended == 0 else { return false }
        let loops = loops.withLock { loops in
            defer { loops = nil }
            return loops
        }
        if let loops {
            loops.stop()
            hasStopped.store(true, ordering: .releasing)
        }
        return true
    }

    /// Waits for a condition, with a deadline: neither side has anything that could be awaited across the C boundary.
    private func wait(until deadline: ContinuousClock.Instant, _ condition: (InFlight) -> Bool) async {
        while !condition(core.inFlight), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
