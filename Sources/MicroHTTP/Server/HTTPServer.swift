import CMicroHTTPD
import Glibc
public import Logging
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd's epoll thread pool.
///
/// ```swift
/// let server = try HTTPServer(configuration: .init(port: 0, serverName: "demo"), writer: writer, logger: logger) { request in
///     router.respond(to: request)
/// }
/// print("http://127.0.0.1:\(server.port)")
/// await server.stop()
/// ```
@safe
public final class HTTPServer: Sendable {
    /// Makes, of a request's header fields, those that its answer has, whoever answers and whatever: also if the request
    /// is refused before any handler sees it, but not where its head cannot be read. It runs on a server thread and must not block.
    public typealias CommonFields = @Sendable (HeaderFields) -> [(name: String, value: String)]

    /// Is told of each request when it is answered, once, whoever answers it. It runs on a server thread and must not block.
    ///
    /// Where version 0.9.75 of libmicrohttpd refuses something and no connection can be told from the others, nobody is told.
    public typealias Served = @Sendable (ServedRequest) -> Void

    /// What the callbacks need; libmicrohttpd holds it by an unretained pointer for as long as the daemon runs.
    final class Core: Sendable {
        let configuration: ServerConfiguration
        let writer: StreamWriter
        let inFlight = InFlight()
        let connections = ConnectionTable()
        let watch: ConnectionWatch
        let logger: Logger
        let fields: CommonFields
        let served: Served
        let respond: @Sendable (Request) -> Reply

        init(
            configuration: ServerConfiguration,
            writer: StreamWriter,
            logger: Logger,
            fields: @escaping CommonFields,
            served: @escaping Served,
            respond: @escaping @Sendable (Request) -> Reply
        ) throws(ServerError) {
            self.configuration = configuration
            self.writer = writer
            self.logger = logger
            self.fields = fields
            self.served = served
            self.respond = respond
            watch = try ConnectionWatch(connections, limit: configuration.maximumConnections, inFlight: inFlight)
        }
    }

    /// The port that is listened on, also when any free one was asked for.
    public let port: UInt16

    private let core: Core
    private let daemon: Daemon

    /// Binds and starts to answer.
    ///
    /// - Parameters:
    ///   - writer: cuts its streams when the server stops and they have not ended. It must be stopped after the server.
    ///     Streams may have other writers, which must have cut theirs by then.
    ///   - fields: further fields of every answer; none unless told otherwise.
    ///   - served: is told of every answer.
    ///   - respond: answers each request on a server thread; it must not block.
    /// - Throws: ``ServerError`` when the address cannot be had or the threads cannot be started.
    public init(
        configuration: ServerConfiguration,
        writer: StreamWriter,
        logger: Logger,
        fields: @escaping CommonFields = { _ in [] },
        served: @escaping Served = { _ in },
        respond: @escaping @Sendable (Request) -> Reply
    ) throws(ServerError) {
        let socket = try ListeningSocket(host: configuration.host, port: configuration.port)
        port = socket.port
        core = try Core(
            configuration: configuration,
            writer: writer,
            logger: logger,
            fields: fields,
            served: served,
            respond: respond
        )
        do {
            daemon = try Daemon(core: core, socket: socket)
        } catch {
            core.watch.stop()
            throw error
        }
    }

    /// Open connections, streams among them.
    public var connections: Int { daemon.connections }

    /// Accepts no more connections; those that are open go on.
    ///
    /// Connection attempts are dropped, not refused: a client that tries again a second later reaches the next process.
    public func quiesce() {
        daemon.quiesce()
    }

    /// Answers what was begun, then stops. Streams must have been told to end; those that have not after the grace
    /// period are cut.
    ///
    /// - Returns: false if a request still waits for its answer a second after the grace period. The daemon then goes
    ///   on, since libmicrohttpd may not be stopped with suspended connections; the process should exit.
    @discardableResult
    public func stop(grace: Duration = .seconds(5)) async -> Bool {
        quiesce()
        core.inFlight.drain()
        core.watch.hurry()
        let deadline = ContinuousClock.now + grace
        await wait(until: deadline) { $0.isEmpty }
        core.inFlight.close()
        if core.inFlight.suspended > 0 {
            core.writer.cutAll()
            // Cutting does not depend on any client, so a second is ample.
            await wait(until: deadline + .seconds(1)) { $0.suspended == 0 }
        }
        let isStopped = daemon.stop()
        core.watch.stop()
        return isStopped
    }

    /// Waits for a condition, with a deadline: neither side has anything that could be awaited across the C boundary.
    private func wait(until deadline: ContinuousClock.Instant, _ condition: (InFlight) -> Bool) async {
        while !condition(core.inFlight), ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(2))
        }
    }
}
