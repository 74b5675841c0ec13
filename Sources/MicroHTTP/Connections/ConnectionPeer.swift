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

    init(state: State, lastReceived: Int) {
        self.state = state
        self.lastReceived = lastReceived
    }

    init(of socket: Int32, now: Int = MonotonicMilliseconds.now) {
        var info = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        guard unsafe getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, &info, &length) == 0 else {
            self.init(state: .gone, lastReceived: now)
            return
        }
        let state: State =
            switch Int(info.tcpi_state) {
            case Int(TCP_ESTABLISHED): .open
            case Int(TCP_CLOSE_WAIT): .halfClosed
            default: .gone
            }
        self.init(state: state, lastReceived: now - Int(info.tcpi_last_data_recv))
    }
}
