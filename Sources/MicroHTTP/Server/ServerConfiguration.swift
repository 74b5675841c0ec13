public import Posix

/// How an ``HTTPServer`` listens and what it allows.
public struct ServerConfiguration: Sendable {
    /// An IPv4 or IPv6 address, or `localhost`.
    public var host: String

    /// 0 takes any free port; see ``HTTPServer/port``.
    public var port: UInt16

    /// Threads that accept, parse and answer; one per core unless told otherwise.
    public var threads: Int

    /// How many connections may be open at once; more wait in the listen queue.
    public var maximumConnections: Int

    /// Bytes of memory per connection: the request head, the response head and the write buffer must fit together. An
    /// idle stream costs little more than this, so it stays small; 8 KiB unless told otherwise.
    public var connectionMemory: Int

    /// The largest body that reaches a handler; 1 MiB unless told otherwise.
    public var maximumBodyBytes: Int

    /// What all request bodies together may take that have not come to their end, or whose requests wait to be answered, in
    /// bytes; a body for which there is no room is answered 503. 64 MiB unless told otherwise, and twice
    /// ``maximumBodyBytes`` at least: less could hold none of that size.
    public var bodyMemory = 64 * 1024 * 1024

    /// Seconds after which a connection is closed on which nothing moves; suspended ones are exempt. 75 unless told
    /// otherwise, like nginx's keep-alive.
    public var idleTimeout: Int

    /// The same as libmicrohttpd can count.
    var idleSeconds: Int { min(max(idleTimeout, 1), 1_000_000) }

    /// The value of the `Server` response field.
    public var serverName: String

    /// What it speaks TLS by; nil, as unless told otherwise, for none: then it speaks plain HTTP.
    public var certificate: ServerCertificate?

    /// Where clients reach the server, if not where it listens: a URL without a slash at its end. The `type` of problems
    /// leads below it; empty unless told otherwise, and then they lead to `/errors`.
    package var publicURL = ""

    /// A configuration; only the server's name has no default.
    public init(
        host: String = "127.0.0.1",
        port: UInt16 = 8080,
        threads: Int = SystemLimits.cores,
        maximumConnections: Int = DescriptorBudget.ofProcess.connections,
        connectionMemory: Int = 8 * 1024,
        maximumBodyBytes: Int = 1024 * 1024,
        idleTimeout: Int = 75,
        serverName: String
    ) {
        self.host = host
        self.port = port
        self.threads = threads
        self.maximumConnections = maximumConnections
        self.connectionMemory = connectionMemory
        self.maximumBodyBytes = maximumBodyBytes
        self.idleTimeout = idleTimeout
        self.serverName = serverName
    }

    var effectiveBodyMemory: Int {
        let (twice, overflow) = maximumBodyBytes.multipliedReportingOverflow(by: 2)
        return max(bodyMemory, overflow ? .max : twice)
    }
}
