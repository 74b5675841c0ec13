import CMicroHTTPD
import Glibc

/// What the kernel knows of a connection's other side (tcp(7), `TCP_INFO`).
struct ConnectionPeer: Equatable {
    enum State: Equatable {
        case open
        /// It sends nothing more. Whether it still listens is not known.
        case halfClosed
        case gone
    }

    var state: State
    /// How many bytes have come from it.
    var received: Int
    /// How many bytes it has acknowledged of those that were sent to it.
    var acknowledged: Int

    init(state: State, received: Int, acknowledged: Int = 0) {
        self.state = state
        self.received = received
        self.acknowledged = acknowledged
    }

    init(of socket: Int32) {
        var info = clarion_tcp_info()
        var length = socklen_t(MemoryLayout<clarion_tcp_info>.size)
        guard unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
            self.init(state: .gone, received: 0)
            return
        }
        let state: State =
            switch Int(info.base.tcpi_state) {
            case Int(TCP_ESTABLISHED): .open
            case Int(TCP_CLOSE_WAIT): .halfClosed
            default: .gone
            }
        self.init(
            state: state,
            received: Int(clamping: info.bytes_received),
            acknowledged: Int(clamping: info.bytes_acked)
        )
    }

    /// How many bytes it has sent beyond those of the requests that libmicrohttpd has told of: the beginning of another,
    /// or empty lines before it. Over TLS less than two records count for nothing: what they hold is not known.
    func pending(_ standing: ConnectionStanding) -> Int {
        received - standing.consumed - (standing.isSecure ? Self.smallRecords : 0)
    }

    /// What two records take that hold an empty line or an alert, in bytes (RFC 5246 section 6.2, RFC 8446 section 5.2).
    private static let smallRecords = 64
}
