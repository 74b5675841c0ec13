import CMicroHTTPD
import Glibc
import Posix

/// One stream on its event loop: its socket and what is being sent.
struct StreamSlot {
    enum Socket {
        /// A descriptor of the stream's own. `consumed`: how many bytes were read from it, if it is given back to libmicrohttpd
        /// after an orderly end.
        case own(Int32, consumed: Int?)
        /// Libmicrohttpd's.
        case suspended(SuspendedConnection)

        var descriptor: Int32 {
            switch self {
            case .own(let socket, _): socket
            case .suspended(let connection): connection.socket
            }
        }

        var isOwn: Bool { if case .own = self { true } else { false } }
    }

    let stream: DetachedStream
    /// What lives as long as the stream does; nil where libmicrohttpd's response holds it.
    let owner: (any AnyObject & Sendable)?
    let socket: Socket
    /// The chunk under way; nil for a client of HTTP/1.0, whose response ends with the connection.
    var chunk: TransferChunk?
    /// How much is to be sent of the last chunk, which ends a response in order.
    var lastChunkLeft: Int
    /// Taken from the outbox; the first chunk may be partly sent.
    var sending: [Chunk] = []
    var offset = 0
    /// The kernel's buffer is full; an event will tell when it is not.
    var isBlocked = false
    var isEnding = false
    var isOver = false
    /// While it is to end, and the kernel's buffer is full.
    private var ending = EndingGrace()
    /// How fast it is read; nil while the socket takes everything.
    var pace: ReadingPace?
    /// In milliseconds of the monotonic clock.
    var lastWrite = SystemClock.coarse.milliseconds

    init(_ stream: DetachedStream, owner: (any AnyObject & Sendable)?, on socket: Socket, isChunked: Bool) {
        self.stream = stream
        self.owner = owner
        self.socket = socket
        chunk = isChunked ? TransferChunk() : nil
        // Libmicrohttpd sends it on a socket of its own.
        lastChunkLeft = isChunked && socket.isOwn ? Self.lastChunk.count : 0
    }

    /// RFC 9112 section 7.1.
    static let lastChunk = Array("0\r\n\r\n".utf8)

    /// Prepares the socket for a stream: frames leave at once (tcp(7), `TCP_NODELAY`), and a peer that vanished without
    /// a word is given up after five minutes of unacknowledged bytes (`TCP_USER_TIMEOUT`); far above what a reader
    /// that is merely slow needs to open its window again.
    static func configure(_ socket: Int32) {
        for (option, value) in [(TCP_NODELAY, Int32(1)), (TCP_USER_TIMEOUT, 5 * 60 * 1000)] {
            var value = value
            let size = socklen_t(MemoryLayout<Int32>.size)
            _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), option, &value, size)
        }
    }
}

extension StreamSlot {
    /// Writes what waits; nil if the stream is over.
    mutating func write(with gather: GatherList) -> GatherList.Outcome? {
        guard !isOver else { return nil }
        let outcome = gather.send(&self)
        switch outcome {
        case .written: pace = nil
        case .blocked:
            isBlocked = true
            pace = pace ?? ReadingPace(now: SystemClock.coarse.milliseconds)
        case .ended, .dropped: break
        }
        return outcome
    }

    /// Whether a client that takes next to nothing holds memory that others wait for. It is given up then: otherwise a
    /// few of them could keep everybody from reading.
    mutating func keepsOthersWaiting(now: Int) -> Bool {
        guard pace?.isTooSlow(now: now) == true else { return false }
        return stream.queuedBytes >= Self.muchMemory && stream.memory.isShort
    }

    /// Whether a stream that is to end never can.
    mutating func isUnendable(now: Int) -> Bool { ending.isOver(lastWrite: lastWrite, now: now) }

    /// What a client may keep however slowly it reads, in bytes.
    static let muchMemory = 64 * 1024
}
