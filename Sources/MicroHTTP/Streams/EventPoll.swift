import CMicroHTTPD
import Glibc

/// An epoll instance with an eventfd to wake it (epoll(7), eventfd(2)).
struct EventPoll: ~Copyable {
    /// What happened to a socket.
    struct Readiness {
        let token: UInt64
        let isWritable: Bool
        /// The peer will send nothing more: it is gone, or has closed its half of the connection.
        let isHalfClosed: Bool
        /// The connection is gone altogether.
        let isDropped: Bool
    }

    private static let wakeToken = UInt64.max

    private let poll: Int32
    private let wakeUp: Int32

    init() throws(ServerError) {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        wakeUp = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard poll >= 0, wakeUp >= 0 else { throw ServerError(code: "epoll-failed", systemCall: "epoll_create1") }
        var event = unsafe epoll_event(events: EPOLLIN.rawValue, data: epoll_data_t(u64: Self.wakeToken))
        guard unsafe epoll_ctl(poll, EPOLL_CTL_ADD, wakeUp, &event) == 0 else {
            throw ServerError(code: "epoll-failed", systemCall: "epoll_ctl")
        }
    }

    deinit {
        if poll >= 0 { _ = Glibc.close(poll) }
        if wakeUp >= 0 { _ = Glibc.close(wakeUp) }
    }

    /// Watches a socket, edge-triggered, for room to write and for the end of its peer. Returns whether it could.
    ///
    /// A socket that cannot be written has its flag set by the kernel when a send finds it full, so an edge is
    /// reported only after a send was refused: a stream that keeps up costs no event.
    func add(_ socket: Int32, token: UInt64) -> Bool {
        var event = unsafe epoll_event(
            events: EPOLLOUT.rawValue | EPOLLRDHUP.rawValue | clarion_epoll_edge_triggered(),
            data: epoll_data_t(u64: token)
        )
        return unsafe epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event) == 0
    }

    func remove(_ socket: Int32) {
        _ = epoll_ctl(poll, EPOLL_CTL_DEL, socket, nil)
    }

    /// Wakes ``wait(milliseconds:_:)``. From any thread.
    func wake() {
        _ = eventfd_write(wakeUp, 1)
    }

    /// Sleeps until something happens, is woken, or the time is up, and tells what happened.
    ///
    /// - Parameter milliseconds: -1 for no limit.
    func wait(milliseconds: Int32, _ body: (Readiness) -> Void) {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = unsafe epoll_wait(poll, events.baseAddress, Int32(events.count), milliseconds)
            // A signal interrupts (EINTR): the caller's loop comes again.
            guard count > 0 else { return }
            for index in 0..<Int(count) {
                let event = unsafe events[index]
                guard unsafe event.data.u64 != Self.wakeToken else {
                    var value: eventfd_t = 0
                    _ = unsafe eventfd_read(wakeUp, &value)
                    continue
                }
                let dropped = EPOLLHUP.rawValue | EPOLLERR.rawValue
                body(
                    Readiness(
                        token: unsafe event.data.u64,
                        isWritable: unsafe event.events & EPOLLOUT.rawValue != 0,
                        isHalfClosed: unsafe event.events & EPOLLRDHUP.rawValue != 0,
                        isDropped: unsafe event.events & dropped != 0
                    )
                )
            }
        }
    }
}
