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
    enum Stage {
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
    /// The request in hand.
    var exchange: Exchange?
    /// What the watch judges it by.
    private(set) var standing: ConnectionStanding
    /// Whether a stream goes on on a descriptor of its own: libmicrohttpd closes its own, and the connection is still open.
    var isHandedOver = false

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
            guard let session else { break }
            session.completeRequest()
            // How many bytes its records took, and will take, nobody tells.
            standing.consumed = ConnectionPeer(of: socket).received
        case .answer: break
        }
    }

    /// A part of a body has come.
    func receive(_ count: Int) {
        standing.received += count
        consume(count)
    }

    /// So many bytes of what has come belonged to a request that libmicrohttpd has told of.
    func consume(_ count: Int) {
        standing.consumed += count
    }
}

extension Connection {
    /// Whether libmicrohttpd holds so much of a chunked body without telling of it that it can only be a chunk's head that has
    /// no end. Version 0.9.75, where it has no thread of its own, asks for ever whether there is room for the rest.
    var holdsEndlessChunkHead: Bool {
        guard stage == .body, exchange?.isChunked == true else { return false }
        // In this order: what comes in between is not taken for held.
        let received = ConnectionPeer(of: socket).received
        return received - Int(clarion_unread(socket)) - standing.consumed > Self.longestChunkHead
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
    /// Whether they came in records of TLS.
    var isSecure = false
}
