import CMicroHTTPD
import Glibc

/// The body of a detached stream as libmicrohttpd sees it: a few first bytes, then an end that is none.
///
/// At the end the stream goes on on a duplicate of the socket (fcntl(2), `F_DUPFD_CLOEXEC`), and libmicrohttpd, which is told
/// of an error, closes its own descriptor and forgets the connection with all its memory. Where it has read on already, or
/// the stream is short, the connection is suspended instead, and resumed when the stream is over.
///
/// Who holds the stream's owner: libmicrohttpd's response, whose context this is, and from the hand-over on the loop
/// (``StreamSlot/owner``). A stream that is not handed over, over TLS or suspended, is the response's to its end. Confined to
/// the loop's thread.
@safe
final class StreamHandover {
    private enum Phase {
        case prelude(sent: Int)
        case suspended
        case handedOver
        case secure(SecureStream)
    }

    /// The block that libmicrohttpd allocates per response; the prelude is all that ever passes through it.
    static let blockSize = 256
    static let endOfStream = -1
    static let endWithError = -2

    private var phase = Phase.prelude(sent: 0)
    private let prelude: [UInt8]
    private let handle: OpaquePointer
    private unowned let connection: Connection
    private let stream: DetachedStream
    private let owner: any AnyObject & Sendable
    private let loop: EventLoop
    private let isChunked: Bool
    private let isKept: Bool

    /// - Parameters:
    ///   - isChunked: whether libmicrohttpd sends the body in chunks, as it does to clients of HTTP/1.1.
    ///   - isKept: whether the connection takes the next request when the stream has ended in order.
    init(
        prelude: [UInt8],
        connection handle: OpaquePointer,
        of connection: Connection,
        stream: DetachedStream,
        owner: any AnyObject & Sendable,
        loop: EventLoop,
        isChunked: Bool,
        isKept: Bool
    ) {
        self.prelude = prelude
        unsafe self.handle = unsafe handle
        self.connection = connection
        self.stream = stream
        self.owner = owner
        self.loop = loop
        self.isChunked = isChunked
        self.isKept = isKept
    }

    deinit {
        // Also reached when the client was gone before the hand-over, or asked with HEAD.
        if case .handedOver = phase { return }
        if case .secure(let secure) = phase { loop.forget(secure) }
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
        // Asked again, so everything before is in the kernel: from here the loop alone writes to the socket.
        case .prelude:
            // Here the connection's session decides: who has the socket cannot write in it.
            guard connection.session != nil else { return detach() }
            let secure = unsafe SecureStream(stream, on: handle, of: connection, in: loop)
            phase = .secure(secure)
            loop.watch(secure)
            return unsafe secure.read(into: buffer)
        case .suspended:
            // Resumed: the stream is over. The last chunk is sent by libmicrohttpd, and only if all before it was: a
            // body that was cut short must not look whole.
            guard stream.endedInOrder else { return Self.endWithError }
            // The next request on this connection waits no longer than any other.
            setTimeout(loop.core.configuration.idleSeconds)
            return Self.endOfStream
        case .secure(let secure): return unsafe secure.read(into: buffer)
        case .handedOver: return Self.endWithError
        }
    }

    private func detach() -> Int {
        // In a later turn, when others have given their second descriptor back. Nothing is changed before: libmicrohttpd asks
        // again while it walks the list that a timeout of its own would put the connection on.
        guard loop.takesHandovers else { return 0 }
        let isShort = !stream.endsWithPeer
        let hasReadOn = ConnectionPeer(of: connection.socket).pending(connection.standing) > 0
        // A timeout of its own puts it on the list that the daemon walks before it looks at what is ready. When the
        // end is then met twice, the second time frees the connection; without that, 0.9.75 leaves it and its
        // descriptor until the idle timeout.
        setTimeout(loop.core.configuration.idleSeconds + 1)
        guard isShort || hasReadOn else { return handOver() }
        guard loop.core.inFlight.enter() else { return Self.endOfStream }
        phase = .suspended
        let suspended = unsafe SuspendedConnection(suspending: handle, of: loop)
        loop.adopt(StreamSlot(stream, owner: nil, on: .suspended(suspended), isChunked: isChunked))
        return 0
    }

    private func handOver() -> Int {
        let socket = clarion_duplicate(connection.socket)
        guard socket >= 0 else { return Self.endWithError }
        phase = .handedOver
        connection.isHandedOver = true
        let own = StreamSlot.Socket.own(socket, consumed: isKept ? connection.standing.consumed : nil)
        loop.adopt(StreamSlot(stream, owner: owner, on: own, isChunked: isChunked))
        // No last chunk is sent after an error.
        return Self.endWithError
    }

    private func setTimeout(_ seconds: Int) {
        _ = unsafe clarion_mhd_set_timeout(handle, UInt32(seconds))
    }
}
