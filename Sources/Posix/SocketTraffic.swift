import CPosix

/// What was ever written to a TCP socket and received over it, and what of this nobody has read yet, in bytes (tcp(7),
/// `TCP_INFO`).
package struct SocketTraffic: Equatable {
    private let written: UInt64
    private let received: UInt64
    private let unread: UInt64

    /// `nil` where that cannot be told: on a socket that is not TCP's, and on systems other than Linux.
    package init?(of socket: Int32) {
        var traffic = clarion_traffic()
        guard unsafe clarion_socket_traffic(socket, &traffic) == 0 else { return nil }
        (written, received, unread) = (traffic.written, traffic.received, traffic.unread)
    }

    /// What was ever read from it.
    package var read: UInt64 { received > unread ? received - unread : 0 }
}
