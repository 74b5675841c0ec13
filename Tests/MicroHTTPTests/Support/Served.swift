import Logging
import MicroHTTP
import Testing

/// Runs a server on a free port for as long as the body takes, then stops it and checks that nothing is left.
func withServer(
    keepAlive: Duration = .seconds(15),
    adjust: (inout ServerConfiguration) -> Void = { _ in },
    respond: @escaping @Sendable (Request, OpenStreams) -> Reply,
    _ body: (HTTPServer, OpenStreams) async throws -> Void
) async throws {
    let streams = OpenStreams(keepAlive: .init(interval: keepAlive, frame: Frame(": alive\n\n".utf8)))
    var configuration = ServerConfiguration(port: 0, maximumConnections: 4096, serverName: "tests")
    adjust(&configuration)
    var logger = Logger(label: "tests")
    logger.logLevel = .critical
    let server = try HTTPServer(configuration: configuration, streams: streams, logger: logger) { respond($0, streams) }
    do {
        try await body(server, streams)
    } catch {
        _ = await server.stop(grace: .zero)
        throw error
    }
    #expect(await server.stop(grace: .zero), "Something is still suspended.")
    #expect(streams.count == 0)
}

/// Waits until the condition holds; records an issue if it does not in time.
func eventually(
    within limit: Duration = .seconds(10),
    _ what: Comment? = nil,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () -> Bool
) async {
    let deadline = ContinuousClock.now + limit
    while !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record(what ?? "The condition did not come true.", sourceLocation: sourceLocation)
            return
        }
        try? await Task.sleep(for: .milliseconds(1))
    }
}
