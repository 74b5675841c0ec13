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
    /// When something came from it last, in milliseconds of the monotonic clock.
    var lastReceived: Int
    /// How many bytes have come from it.
    var received: Int

    init(state: State, lastReceived: Int, received: Int) {
        self.state = state
        self.lastReceived = lastReceived
        self.received = received
    }

    init(of socket: Int32, now: Int = MonotonicMilliseconds.now) {
        var info = clarion_tcp_info()
        var length = socklen_t(MemoryLayout<clarion_tcp_info>.size)
        guard unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
            self.init(state: .gone, lastReceived: now, received: 0)
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
            lastReceived: now - Int(info.base.tcpi_last_data_recv),
            received: Int(clamping: info.bytes_received)
        )
    }

    /// Whether it has sent the beginning of a request of which libmicrohttpd has not told yet.
    func hasBegun(_ standing: ConnectionStanding) -> Bool {
        // The clocks' grain is some milliseconds.
        standing.isFresh ? received > 0 : lastReceived > standing.since + 20
    }
}
