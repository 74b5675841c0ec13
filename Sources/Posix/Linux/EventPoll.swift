import CPosix

/// Descriptors that one thread waits at (epoll(7)). What it costs is what happens: a thousand that stay silent cost
/// nothing.
package final class EventPoll: Sendable {
    /// Ends ``wait(milliseconds:_:)``, also one that has yet to begin. Of any thread.
    package let wakeUp: WakeUp

    private let poll: Int32
    private static let wakeToken = UInt64.max
    /// How many descriptors are looked at in one go. Up to 1,024 bytes lie on the stack, and each turn of a loop would
    /// allocate more.
    private static let eventsAtOnce = unsafe 1024 / MemoryLayout<epoll_event>.stride

    /// Waits at nothing yet but ``wakeUp``.
    package init() throws(SystemError) {
        let wakeUp = try WakeUp()
        let poll = epoll_create1(Int32(EPOLL_CLOEXEC))
        guard poll >= 0 else { throw SystemError("epoll_create1") }
        (self.wakeUp, self.poll) = (wakeUp, poll)
        guard watch(wakeUp.descriptor, for: .readable, token: Self.wakeToken) else { throw SystemError("epoll_ctl") }
    }

    deinit {
        close(poll)
    }

    /// Watches a descriptor, or watches it for something else than before. From any thread.
    ///
    /// - Parameter token: what it is told by; any but the greatest number.
    /// - Returns: whether it could: not if it is none, or the kernel has no memory.
    package func watch(_ descriptor: Int32, for interest: Readiness, token: UInt64) -> Bool {
        var event = unsafe epoll_event(events: interest.rawValue, data: epoll_data_t(u64: token))
        return unsafe epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event) == 0
            || epoll_ctl(poll, EPOLL_CTL_MOD, descriptor, &event) == 0
    }

    /// Watches a descriptor no longer. It may be closed already; then it is forgotten.
    package func remove(_ descriptor: Int32) {
        _ = epoll_ctl(poll, EPOLL_CTL_DEL, descriptor, nil)
    }

    /// Sees what has happened; if nothing has, waits until something does, ``wakeUp`` is used, or the time is up.
    ///
    /// - Parameters:
    ///   - milliseconds: -1 for no limit.
    ///   - body: called with the token of each descriptor, and what can be done at it.
    /// - Returns: whether it was not the time that ended it.
    @discardableResult
    package func wait(milliseconds: Int32, _ body: (UInt64, Readiness) -> Void) -> Bool {
        unsafe withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: Self.eventsAtOnce) { events in
            // A signal interrupts (EINTR, -1): the caller's loop comes again.
            let count = unsafe epoll_wait(poll, events.baseAddress, Int32(events.count), milliseconds)
            for index in 0..<max(Int(count), 0) {
                let event = unsafe events[index]
                guard unsafe event.data.u64 != Self.wakeToken else {
                    wakeUp.clear()
                    continue
                }
                body(unsafe event.data.u64, Readiness(rawValue: unsafe event.events))
            }
            return count != 0
        }
    }
}
