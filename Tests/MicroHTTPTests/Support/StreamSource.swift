import Locking
import MicroHTTP
import Synchronization

/// Answers every request with a stream and keeps hold of it, weakly, as a broadcaster does.
final class StreamSource: Sendable {
    /// Owned by nothing but the response.
    final class Owner: Sendable {
        let stream: DetachedStream
        let path: String
        private let source: StreamSource

        init(stream: DetachedStream, path: String, source: StreamSource) {
            self.stream = stream
            self.path = path
            self.source = source
            source.alive.add(1, ordering: .relaxed)
        }

        deinit {
            source.alive.subtract(1, ordering: .relaxed)
        }
    }

    private struct Entry {
        weak var owner: Owner?
    }

    private let alive = Atomic<Int>(0)
    private let entries = Lock<[Entry]>([])
    private let outboxLimit: Int
    private let prelude: String
    /// Called in the handler, before the head is sent.
    private let prepare: @Sendable (DetachedStream) -> Void

    init(
        outboxLimit: Int = 1_000_000,
        prelude: String = ": hello\n\n",
        prepare: @escaping @Sendable (DetachedStream) -> Void = { _ in }
    ) {
        self.outboxLimit = outboxLimit
        self.prelude = prelude
        self.prepare = prepare
    }

    /// How many owners live.
    var living: Int { alive.load(ordering: .relaxed) }

    /// Those that live, in the order in which they came.
    var owners: [Owner] { entries.withLock { $0.compactMap(\.owner) } }

    func reply(_ request: Request, _ streams: OpenStreams) -> Reply {
        let stream = DetachedStream(streams: streams, outboxLimit: outboxLimit)
        let owner = Owner(stream: stream, path: request.target.segments.joined(separator: "/"), source: self)
        entries.withLock { $0.append(Entry(owner: owner)) }
        prepare(stream)
        return .stream(
            Response(.ok, headers: [("Content-Type", "text/event-stream")], body: Array(prelude.utf8)),
            stream,
            owner: owner
        )
    }
}

extension RawClient {
    /// Asks for a stream and reads its head and prelude.
    static func streaming(
        from server: HTTPServer,
        path: String = "/",
        prelude: String = ": hello\n\n",
        receiveBuffer: Int32? = nil,
        headers: String = ""
    ) throws -> RawClient {
        let client = try RawClient(port: server.port, receiveBuffer: receiveBuffer)
        try client.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(headers)\r\n")
        _ = try client.takeHead()
        client.beginChunks()
        if !prelude.isEmpty { _ = try client.take(prelude.utf8.count) }
        return client
    }
}

extension Frame {
    convenience init(text: String) {
        self.init(text.utf8)
    }
}
