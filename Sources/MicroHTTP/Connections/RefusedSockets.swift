import Glibc

/// What still comes on connections whose request was refused before it had come to its end, read and thrown away for a while.
///
/// Libmicrohttpd closes them at once. What lies unread then, or comes later, has the system reset the connection, and whoever
/// is still sending, as proxies are, may never see the answer (RFC 9112 section 9.6).
struct RefusedSockets {
    private var sockets: [(descriptor: Int32, until: Int)] = []
    /// Each takes a descriptor that nothing else counts.
    private let capacity: Int

    /// In milliseconds.
    private static let patience = 2_000
    /// How much of one is read at a look.
    private static let bytesAtOnce = 1 << 20

    /// Room for one loop's share: of 32, or fewer where a server may have few connections.
    init(connections: Int, loops: Int) { capacity = max(1, min(32, connections / 64) / max(1, loops)) }

    var isEmpty: Bool { sockets.isEmpty }

    /// Keeps a socket open that is about to be closed, if there is room.
    mutating func add(_ socket: Int32, now: Int) {
        guard sockets.count < capacity, case let own = fcntl(socket, F_DUPFD_CLOEXEC, 0), own >= 0 else { return }
        sockets.append((own, now + Self.patience))
    }

    /// Reads what has come, and closes those whose client has ended or whose time is over.
    mutating func look(now: Int) {
        var left: [(descriptor: Int32, until: Int)] = []
        for socket in sockets {
            // The bytes of a TCP socket are thrown away unseen (tcp(7), MSG_TRUNC).
            let flags = Int32(MSG_TRUNC | MSG_DONTWAIT)
            let count = recv(socket.descriptor, nil, Self.bytesAtOnce, flags)
            let isOver = now >= socket.until || count == 0 || count < 0 && errno != EAGAIN
            if isOver { Glibc.close(socket.descriptor) } else { left.append(socket) }
        }
        sockets = left
    }

    /// Closes all.
    mutating func close() {
        for socket in sockets { Glibc.close(socket.descriptor) }
        sockets = []
    }
}
