import CCurl
import Posix

/// Which of libcurl's sockets are ready, and when its next timeout is: what libcurl asks the program to watch for it
/// (libcurl-multi(3), "the multi_socket API").
///
/// So a turn of the transport costs what happened, not what is under way: a thousand attempts at endpoints that hang
/// cost the others nothing. Confined to the transport thread.
final class SocketWatch {
    private let poll: EventPoll
    private var ready: [(socket: Int32, events: Int32)] = []
    /// When libcurl wants to be called whatever happens, in milliseconds of the monotonic clock.
    private var deadline: Int?

    /// Fails only when the process is out of file descriptors or memory.
    init?() {
        guard let poll = try? EventPoll() else { return nil }
        self.poll = poll
    }

    /// Ends ``wait(milliseconds:)``, also one that has yet to begin. Of any thread.
    var wakeUp: WakeUp { poll.wakeUp }

    /// Watches a socket from now on.
    ///
    /// - Parameter interest: `CURL_POLL_IN`, `CURL_POLL_OUT`, both, or `CURL_POLL_REMOVE`.
    func watch(_ socket: Int32, for interest: Int32) {
        guard interest != CURL_POLL_REMOVE else { return poll.remove(socket) }
        var readiness: Readiness = []
        if interest & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if interest & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        _ = poll.watch(socket, for: readiness, token: UInt64(UInt32(bitPattern: socket)))
    }

    /// Sets libcurl's next timeout.
    ///
    /// - Parameter milliseconds: from now; -1 for none.
    func setTimeout(milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : SystemClock.monotonic.milliseconds + milliseconds
    }

    /// Whether libcurl's timeout has passed; says so once.
    func takeTimeout() -> Bool {
        guard let time = deadline, time <= SystemClock.monotonic.milliseconds else { return false }
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
    func wait(milliseconds: Int) -> Bool {
        let left = deadline.map { min(max($0 - SystemClock.monotonic.milliseconds, 0), milliseconds) } ?? milliseconds
        let isEarly = poll.wait(milliseconds: Int32(clamping: left)) { token, readiness in
            var events: Int32 = 0
            if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
            if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
            ready.append((Int32(bitPattern: UInt32(truncatingIfNeeded: token)), readiness.isBroken ? 0 : events))
        }
        return isEarly || left < milliseconds
    }
}
