import CCurl

/// Which of libcurl's sockets are ready, and when its next timeout is (poll(2)): where there is no epoll(7). It is for a
/// client with a few connections. Confined to the transport thread.
final class SocketWatch {
    /// Ends ``wait(milliseconds:)``, also one that has yet to begin. Of any thread.
    let wakeUp: WakeUp

    private var watched: [Int32: Int16] = [:]
    private var ready: [(socket: Int32, events: Int32)] = []
    /// When libcurl wants to be called whatever happens.
    private var deadline: ContinuousClock.Instant?

    /// Fails only when the process is out of file descriptors.
    init?() {
        guard let wakeUp = WakeUp() else { return nil }
        self.wakeUp = wakeUp
    }

    /// Watches a socket from now on.
    ///
    /// - Parameter interest: `CURL_POLL_IN`, `CURL_POLL_OUT`, both, or `CURL_POLL_REMOVE`.
    func watch(_ socket: Int32, for interest: Int32) {
        guard interest != CURL_POLL_REMOVE else {
            watched[socket] = nil
            return
        }
        var events: Int16 = 0
        if interest & CURL_POLL_IN != 0 { events |= Int16(POLLIN) }
        if interest & CURL_POLL_OUT != 0 { events |= Int16(POLLOUT) }
        watched[socket] = events
    }

    /// Sets libcurl's next timeout.
    ///
    /// - Parameter milliseconds: from now; -1 for none.
    func setTimeout(milliseconds: Int) {
        deadline = milliseconds < 0 ? nil : .now + .milliseconds(milliseconds)
    }

    /// Whether libcurl's timeout has passed; says so once.
    func takeTimeout() -> Bool {
        guard let time = deadline, time <= .now else { return false }
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
        var left = milliseconds
        if let deadline {
            let (seconds, attoseconds) = (deadline - .now).components
            // Rounded up: a wait that ends before its time would be begun again at once.
            left = min(max(seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1, 0), milliseconds)
        }
        var files = watched.map { pollfd(fd: $0.key, events: $0.value, revents: 0) }
        files.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
        let count = unsafe poll(&files, nfds_t(files.count), Int32(left))
        for file in files where file.revents != 0 { take(file) }
        return count != 0 || left < milliseconds
    }

    private func take(_ file: pollfd) {
        guard file.fd != wakeUp.descriptor else { return wakeUp.clear() }
        let happened = Int32(file.revents)
        var events: Int32 = 0
        if happened & Int32(POLLIN) != 0 { events |= CURL_CSELECT_IN }
        if happened & Int32(POLLOUT) != 0 { events |= CURL_CSELECT_OUT }
        if happened & Int32(POLLERR | POLLHUP | POLLNVAL) != 0 { events = 0 }
        ready.append((file.fd, events))
    }
}

/// Wakes a thread that waits (pipe(2)).
package final class WakeUp: Sendable {
    fileprivate let descriptor: Int32
    private let writer: Int32

    fileprivate init?() {
        var ends: [Int32] = [-1, -1]
        guard unsafe clarion_pipe(&ends) == 0 else { return nil }
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit {
        close(descriptor)
        close(writer)
    }

    /// Ends the wait, also one that has yet to begin.
    package func wake() {
        // A pipe that is full wakes as well.
        var byte: UInt8 = 1
        _ = unsafe write(writer, &byte, 1)
    }

    fileprivate func clear() {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while unsafe read(descriptor, &bytes, bytes.count) == bytes.count {}
    }
}
