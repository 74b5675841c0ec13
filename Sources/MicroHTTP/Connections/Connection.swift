import CMicroHTTPD
import Glibc
import Posix

/// One open connection, from when libmicrohttpd gets it to when it closes or forgets it. Confined to its event loop's thread.
///
/// It owns the request that is in hand. Libmicrohttpd 0.9.75 forgets to complete some requests that it refuses itself;
/// what belongs to a request ends with its connection at the latest.
@safe
final class Connection {
    /// What the server waits for. Kept with the time at which that began.
    enum Stage: Int {
        /// The first line of a request.
        case idle
        /// The rest of its head.
        case head
        /// Its body.
        case body
        /// Nothing: the request is complete, and being answered.
        case answer
    }

    let handle: OpaquePointer
    let socket: Int32
    /// Nil without TLS.
    let session: SecureSession?
    /// The client's address and port: see ``Request/remoteAddress``.
    private(set) lazy var remoteAddress = unsafe RemoteAddress.text(of: handle)
    /// Whose it is: see `IPAddress/customer`.
    private(set) lazy var customer = unsafe RemoteAddress.customer(of: handle)
    /// The request in hand.
    var exchange: Exchange?
    /// What the watch judges it by.
    private(set) var standing: ConnectionStanding
    /// How much was read when libmicrohttpd last had its turn and left something unread.
    private var readWhenLeft: Int?
    /// The same when libmicrohttpd last told of a part of a body in chunks, or of its head.
    private var readWhenTold = 0
    /// Whether a stream goes on on a descriptor of its own: libmicrohttpd closes its own, and the connection is still open.
    var isHandedOver = false
    /// Whether it was told to end: its socket may be watched without libmicrohttpd's knowing, until nobody has it open.
    var isEnded = false

    /// - Parameter consumed: how many bytes of it were read before libmicrohttpd got it; nil if it is new.
    init(handle: OpaquePointer, session: SecureSession?, consumed: Int?) {
        unsafe self.handle = unsafe handle
        self.session = session
        socket = unsafe clarion_mhd_connection_socket(handle)
        standing = ConnectionStanding(
            stage: .idle,
            since: SystemClock.coarse.milliseconds,
            received: 0,
            isFresh: consumed == nil,
            consumed: consumed ?? 0,
            isSecure: session != nil
        )
    }

    var stage: Stage { standing.stage }

    /// The connection moves on.
    func enter(_ stage: Stage) {
        standing.stage = stage
        standing.since = SystemClock.coarse.milliseconds
        switch stage {
        case .head: standing.isFresh = false
        case .body: standing.received = 0
        case .idle:
            standing.requests += 1
            guard let session else { break }
            session.completeRequest()
            // How many bytes its records took, and will take, nobody tells.
            standing.consumed = ConnectionPeer(of: socket).received
        case .answer: break
        }
    }

    /// A body in chunks begins.
    func beginChunks() {
        // Of a first request nothing can have been read before.
        readWhenTold = standing.requests == 0 ? standing.consumed : bytesRead
    }

    /// A part of a body has come.
    ///
    /// - Parameter isChunk: whether something was read before it that libmicrohttpd does not tell of: the head of its chunk.
    func receive(_ count: Int, isChunk: Bool) {
        standing.received += count
        consume(count)
        if isChunk, session == nil { readWhenTold = bytesRead }
    }

    /// So many bytes of what has come belonged to a request that libmicrohttpd has told of.
    func consume(_ count: Int) {
        standing.consumed += count
    }
}

extension Connection {
    /// Whether libmicrohttpd holds a chunk's head that has no end: of a body in chunks it reads on no more, or has read more than
    /// any head takes since it told of a part. Version 0.9.75, where it has no thread of its own, asks for ever whether there is
    /// room for the rest.
    ///
    /// To be asked when it had a turn and did nothing. What others of its connections wait for is not theirs to suffer for: who
    /// has sent many chunks, or half a record of TLS, has much read that nobody was told of.
    func holdsEndlessChunkHead() -> Bool {
        guard stage == .body, exchange?.isChunked == true else { return false }
        let received = ConnectionPeer(of: socket).received
        let unread = Int(clarion_unread(socket))
        // What has come in between is neither.
        guard ConnectionPeer(of: socket).received == received else { return false }
        let read = received - unread
        let isLeft = unread > 0 || session?.hasMore == true
        defer { readWhenLeft = isLeft ? read : nil }
        if isLeft, readWhenLeft == read { return true }
        return session == nil && read - readWhenTold > Self.longestChunkHead
    }

    /// How much was read from the socket, or somewhat less while more comes.
    private var bytesRead: Int {
        // In this order: what comes in between is not taken for read.
        let received = ConnectionPeer(of: socket).received
        return received - Int(clarion_unread(socket))
    }

    /// In bytes: far more than a size and any extension that is in use.
    private static let longestChunkHead = 512
}

/// Where a connection stands at one moment.
struct ConnectionStanding: Equatable {
    var stage: Connection.Stage
    /// When the stage began, in milliseconds of the monotonic clock.
    var since: Int
    /// The bytes of the body that have come.
    var received: Int
    /// Whether no request has come on it yet.
    var isFresh: Bool
    /// The bytes of requests that libmicrohttpd has told of.
    var consumed: Int
    /// The requests that are complete.
    var requests = 0
    /// Whether they came in records of TLS.
    var isSecure = false
}
