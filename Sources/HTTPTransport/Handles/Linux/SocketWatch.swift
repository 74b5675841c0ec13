import CCurl
import Glibc

/// Which of libcurl's sockets are ready, and when its next timeout is (epoll(7)): what libcurl asks the program to watch
/// for it (libcurl-multi(3), "the multi_socket API").
///
/// So a turn of the transport costs what happened, not what is under way: a thousand attempts at endpoints that hang
/// cost the others nothing. Confined to the transport thread.
final class SocketWatch {
    /// Ends ``wait(milliseconds:)``, also one that has yet to begin. Of any thread.
    let wakeUp: WakeUp

    private let poll: Int32
    private var ready: [(socket: Int32, events: Int32)] = []
    /// When libcurl wants to be called whatever happens, in milliseconds of the monotonic clock.
    private var deadline: Int64?

    /// Fails only when the process is out of file descriptors or memory.
    init?() {
        poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0, let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
        guard control(EPOLL_CTL_ADD, wakeUp.descriptor, EPOLLIN.rawValue) else { return nil }
    }

    deinit {
        if poll >= 0 { _ = Glibc.close(poll) }
    }

    /// Watches a socket from now on.
    ///
    /// - Parameter interest: `CURL_POLL_IN`, `CURL_POLL_OUT`, both, or `CURL_POLL_REMOVE`.
    func watch(_ socket: Int32, for interest: Int32) {
        guard interest != CURL_POLL_REMOVE else {
            // It may be closed already; then it is forgotten.
            _ = control(EPOLL_CTL_DEL, socket, 0)
            return
        }
        var events: UInt32 = 0
        if interest & CURL_POLL_IN != 0 { events |= EPOLLIN.rawValue }
        if interest & CURL_POLL_OUT != 0 { events |= EPOLLOUT.rawValue }
        // Of a number that was closed and given out again libcurl may believe that it is watched.
        if !control(EPOLL_CTL_MOD, socket, events) { _ = control(EPOLL_CTL_ADD, socket, events) }
    }

    /// Sets libcurl's next timeout.
    ///
    /// - Parameter milliseconds: from now; -1 for none.
    func setTimeout(milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : Self.now() + Int64(milliseconds)
    }

    /// Whether libcurl's timeout has passed; says so once.
    func takeTimeout() -> Bool {
        guard let time = deadline, time <= Self.now() else { return false }
        deadline = nil
        return true
    }

    /// Whether sockets are known to be ready.
    var isAnyReady: Bool { !ready.isEmpty }

    /// The next socket that is ready, with `CURL_CSELECT_IN` and `CURL_CSELECT_OUT`, or 0 where libcurl is to see for
    /// itself what is wrong with it.
    func nextReady() -> (socket: Int32, events: Int32)? {
        ready.popLast()
    }

    /// Sees what is ready; if nothing is, waits until something is, libcurl's timeout, ``WakeUp/wake()`` or that time.
    ///
    /// - Returns: whether it was not the time that ended it.
    @discardableResult
    func wait(milliseconds: Int64) -> Bool {
        let left = deadline.map { min(max($0 - Self.now(), 0), milliseconds) } ?? milliseconds
        return unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 256) { events in
            let count = unsafe epoll_wait(poll, events.baseAddress, Int32(events.count), Int32(left))
            // Interrupted by a signal (EINTR), it is called again with the next turn.
            for index in 0..<max(Int(count), 0) { unsafe take(events[index]) }
            return count != 0 || left < milliseconds
        }
    }

    private func take(_ event: epoll_event) {
        let socket = unsafe event.data.fd
        guard socket != wakeUp.descriptor else { return wakeUp.clear() }
        var events: Int32 = 0
        let happened = unsafe event.events
        if happened & EPOLLIN.rawValue != 0 { events |= CURL_CSELECT_IN }
        if happened & EPOLLOUT.rawValue != 0 { events |= CURL_CSELECT_OUT }
        if happened & (EPOLLERR.rawValue | EPOLLHUP.rawValue) != 0 { events = 0 }
        ready.append((socket, events))
    }

    private func control(_ operation: Int32, _ socket: Int32, _ events: UInt32) -> Bool {
        var event = unsafe epoll_event(events: events, data: epoll_data_t(fd: socket))
        return unsafe epoll_ctl(poll, operation, socket, &event) == 0
    }

    private static func now() -> Int64 {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// Wakes a thread that waits (eventfd(2)).
package final class WakeUp: Sendable {
    fileprivate let descriptor: Int32

    fileprivate init?() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        if descriptor >= 0 { _ = Glibc.close(descriptor) }
    }

    /// Ends the wait, also one that has yet to begin.
    package func wake() {
        _ = eventfd_write(descriptor, 1)
    }

    fileprivate func clear() {
        var value: eventfd_t = 0
        _ = unsafe eventfd_read(descriptor, &value)
    }
}
