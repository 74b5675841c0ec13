import CMicroHTTPD

/// The body of a detached stream as libmicrohttpd sees it: a few first bytes, then a suspension, then the end.
///
/// It is the response's context and so holds the stream's owner for as long as the response lives. Only the
/// connection's server thread calls it.
@safe
final class StreamHandover {
    private enum Phase {
        case prelude(sent: Int)
        case detached
    }

    /// The block that libmicrohttpd allocates per response; the prelude is all that ever passes through it.
    static let blockSize = 256
    static let endOfStream = -1
    private static let endWithError = -2

    private var phase = Phase.prelude(sent: 0)
    private let prelude: [UInt8]
    private let connection: OpaquePointer
    private let stream: DetachedStream
    private let owner: any AnyObject & Sendable
    private let server: HTTPServer.Core
    private let isChunked: Bool

    /// - Parameter isChunked: whether libmicrohttpd sends the body in chunks, as it does to clients of HTTP/1.1.
    init(
        prelude: [UInt8],
        connection: OpaquePointer,
        stream: DetachedStream,
        owner: any AnyObject & Sendable,
        server: HTTPServer.Core,
        isChunked: Bool
    ) {
        self.prelude = prelude
        unsafe self.connection = unsafe connection
        self.stream = stream
        self.owner = owner
        self.server = server
        self.isChunked = isChunked
    }

    deinit {
        // Also reached when the client was gone before the hand-over, or asked with HEAD.
        stream.close(inOrder: false)
    }

    /// Fills the buffer (libmicrohttpd manual, "MHD_ContentReaderCallback").
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        switch phase {
        case .prelude(let sent) where sent < prelude.count:
            let part = prelude[sent..<min(sent + buffer.count, prelude.count)]
            unsafe buffer.copyBytes(from: part)
            phase = .prelude(sent: sent + part.count)
            return part.count
        case .prelude:
            // Asked again, so everything before is in the kernel: from here the writer alone writes to the socket.
            phase = .detached
            // A timeout of its own puts it on the list that the daemon walks before it looks at what is ready. When the
            // end below is then met twice in one turn, the second time frees the connection; without that, 0.9.75
            // leaves it and its descriptor until the idle timeout.
            _ = unsafe clarion_mhd_set_timeout(connection, UInt32(server.configuration.idleTimeout + 1))
            guard let suspended = unsafe SuspendedConnection(suspending: connection, inFlight: server.inFlight) else {
                return Self.endOfStream
            }
            stream.adopt(suspended, isChunked: isChunked)
            return 0
        case .detached:
            // Resumed: the writer has let go. The last chunk is sent by libmicrohttpd, and only if all before it was: a
            // body that was cut short must not look whole.
            guard stream.endedInOrder else { return Self.endWithError }
            // The next request on this connection waits no longer than any other.
            _ = unsafe clarion_mhd_set_timeout(connection, UInt32(server.configuration.idleTimeout))
            return Self.endOfStream
        }
    }
}
