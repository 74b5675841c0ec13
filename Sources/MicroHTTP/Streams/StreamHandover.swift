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

    private var phase = Phase.prelude(sent: 0)
    private let prelude: [UInt8]
    private let connection: OpaquePointer
    private let stream: DetachedStream
    private let owner: any AnyObject & Sendable
    private let server: HTTPServer.Core

    init(
        prelude: [UInt8],
        connection: OpaquePointer,
        stream: DetachedStream,
        owner: any AnyObject & Sendable,
        server: HTTPServer.Core
    ) {
        self.prelude = prelude
        unsafe self.connection = unsafe connection
        self.stream = stream
        self.owner = owner
        self.server = server
    }

    deinit {
        // Also reached when the client was gone before the hand-over, or asked with HEAD.
        stream.close()
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
            stream.adopt(suspended)
            return 0
        case .detached:
            // Resumed: the writer has let go. END_WITH_ERROR would log a line for each client that leaves.
            return Self.endOfStream
        }
    }
}
