import CMicroHTTPD
import Glibc
import Posix
import Synchronization

/// One open connection, from its acceptance to its end.
///
/// It owns the request that is in hand. Libmicrohttpd 0.9.75 forgets to complete some requests that it refuses itself;
/// what belongs to a request ends with its connection at the latest.
///
/// `@unchecked Sendable`: ``exchange`` is only touched on the connection's server thread; the rest is constant or atomic.
/// The handle and the socket are valid while the ``ConnectionTable`` has the connection.
@safe
final class Connection: @unchecked Sendable {
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
    /// The server thread that handles it.
    let thread = pthread_self()
    /// The request in hand.
    var exchange: Exchange?

    /// The stage in the lowest two bits, above it the time in milliseconds of the monotonic clock.
    private let progress: Atomic<Int>
    private let received = Atomic<Int>(0)
    private let requests = Atomic<Int>(0)
    private let consumed = Atomic<Int>(0)

    init(handle: OpaquePointer) {
        unsafe self.handle = unsafe handle
        socket = unsafe clarion_mhd_connection_socket(handle)
        progress = Atomic(SystemClock.coarse.milliseconds << 2 | Stage.idle.rawValue)
    }

    /// The connection moves on. On its server thread.
    func enter(_ stage: Stage) {
        progress.store(SystemClock.coarse.milliseconds << 2 | stage.rawValue, ordering: .relaxed)
        switch stage {
        case .head: requests.add(1, ordering: .relaxed)
        case .body: received.store(0, ordering: .relaxed)
        case .idle, .answer: break
        }
    }

    /// A part of a body has come. On its server thread.
    func receive(_ count: Int) {
        received.add(count, ordering: .relaxed)
    }

    /// So many bytes of what has come belonged to a request that libmicrohttpd has told of. On its server thread.
    func consume(_ count: Int) {
        consumed.add(count, ordering: .relaxed)
    }

    var stage: Stage { Stage(rawValue: progress.load(ordering: .relaxed) & 3) ?? .idle }

    /// What the watch judges it by.
    var standing: ConnectionStanding {
        let progress = progress.load(ordering: .relaxed)
        return ConnectionStanding(
            stage: Stage(rawValue: progress & 3) ?? .idle,
            since: progress >> 2,
            received: received.load(ordering: .relaxed),
            isFresh: requests.load(ordering: .relaxed) == 0,
            consumed: consumed.load(ordering: .relaxed)
        )
    }
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
}
