import CPosix

/// Descriptors that one thread waits at (poll(2)), where there is no epoll(7): for a client with a few connections.
/// Confined to that thread but for ``wakeUp``.
package final class EventPoll {
    /// Ends ``wait(milliseconds:_:)``, also one that has yet to begin. Of any thread.
    package let wakeUp: WakeUp

    private var watched: [Int32: (interest: Int16, token: UInt64)] = [:]

    /// Waits at nothing yet but ``wakeUp``.
    package init() throws(SystemError) {
        wakeUp = try WakeUp()
    }

    /// Watches a descriptor, or watches it for something else than before.
    package func watch(_ descriptor: Int32, for interest: Readiness, token: UInt64) -> Bool {
        watched[descriptor] = (Int16(truncatingIfNeeded: interest.rawValue), token)
        return true
    }

    /// Watches a descriptor no longer.
    package func remove(_ descriptor: Int32) {
        watched[descriptor] = nil
    }

    /// Sees what has happened; if nothing has, waits until something does, ``wakeUp`` is used, or the time is up.
    ///
    /// - Parameters:
    ///   - milliseconds: -1 for no limit.
    ///   - body: called with the token of each descriptor, and what can be done at it.
    /// - Returns: whether it was not the time that ended it.
    @discardableResult
    package func wait(milliseconds: Int32, _ body: (UInt64, Readiness) -> Void) -> Bool {
        var files = watched.map { pollfd(fd: $0.key, events: $0.value.interest, revents: 0) }
        files.append(pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0))
        let count = unsafe poll(&files, nfds_t(files.count), milliseconds)
        for file in files where file.revents != 0 {
            guard file.fd != wakeUp.descriptor else {
                wakeUp.clear()
                continue
            }
            guard let token = watched[file.fd]?.token else { continue }
            body(token, Readiness(rawValue: UInt32(UInt16(bitPattern: file.revents))))
        }
        return count != 0
    }
}
