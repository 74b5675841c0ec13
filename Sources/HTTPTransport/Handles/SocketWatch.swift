import CCurl
import Posix

/// Which of libcurl's sockets are ready, and when its next timeout is: what libcurl asks the program to watch for it
/// (libcurl-multi(3), "the multi_socket API").
///
/// So a turn of the transport costs what happened, not what is under way: a thousand attempts at endpoints that hang
/// cost the others nothing. Confined to the transport thread.
final class SocketWatch {
    private struct Watched {
        /// What the poll has it for, and what libcurl wants now.
        var registered = CURL_POLL_NONE
        var wanted = CURL_POLL_NONE
        var isKept = false
        /// Whether its transfer has paused, which takes what comes later.
        var isPaused = false
    }

    private let poll: EventPoll
    private var watched: [Int32: Watched] = [:]
    private var ready: [(socket: Int32, events: Int32)] = []
    /// When libcurl wants to be called whatever happens, in milliseconds of the monotonic clock.
    private var deadline: Int?
    /// Sockets over which something has come while their connection was idle.
    private var disturbed: Set<Int32> = []
    /// Whether a transfer has paused over a socket that is not known: what comes over those that seem idle may be its.
    private var hasPausedUnseen = false
    private var sweeps = IdleSweeps()

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
        var entry = watched[socket] ?? Watched()
        entry.wanted = interest == CURL_POLL_REMOVE ? CURL_POLL_NONE : interest
        if interest & CURL_POLL_IN != 0 { entry.isPaused = false }
        if !disturbed.isEmpty, interest != CURL_POLL_REMOVE { disturbed.remove(socket) }
        if !entry.isKept, interest == CURL_POLL_REMOVE {
            watched[socket] = nil
            return poll.remove(socket)
        }
        if interest != CURL_POLL_REMOVE, interest != entry.registered || !entry.isKept {
            // One that could not be is tried again with the next transfer.
            entry.registered = register(socket, for: interest) ? interest : CURL_POLL_NONE
        }
        watched[socket] = entry
    }

    private func register(_ socket: Int32, for interest: Int32) -> Bool {
        var readiness: Readiness = []
        if interest & CURL_POLL_IN != 0 { readiness.insert(.readable) }
        if interest & CURL_POLL_OUT != 0 { readiness.insert(.writable) }
        return poll.watch(socket, for: readiness, token: UInt64(UInt32(bitPattern: socket)))
    }

    /// Leaves a socket with the poll while libcurl does not want it watched, since its connection stays for the next
    /// transfer, which will: two system calls less for each. Until ``forget(_:)``, which must come before it is closed.
    func keep(_ socket: Int32) {
        var entry = watched[socket] ?? Watched()
        entry.isKept = true
        // libcurl has it watched no more: only so is its end noticed.
        if entry.registered == CURL_POLL_NONE, register(socket, for: CURL_POLL_IN) { entry.registered = CURL_POLL_IN }
        watched[socket] = entry
    }

    /// The transfer of a socket pauses, until that is watched again.
    ///
    /// - Parameter socket: nil if it was not watched yet. Then it may be any of those that are kept.
    func pause(_ socket: Int32?) {
        if let socket { watched[socket]?.isPaused = true } else { hasPausedUnseen = true }
    }

    /// A transfer has ended, or was given up on, and may have left a connection that nobody uses.
    func hasServed() {
        sweeps.noteService(at: SystemClock.coarse.milliseconds)
    }

    /// Leaves a socket alone that is about to be closed: the next may have its number.
    func forget(_ socket: Int32) {
        if watched.removeValue(forKey: socket) != nil { poll.remove(socket) }
        if !disturbed.isEmpty { disturbed.remove(socket) }
        if !ready.isEmpty { ready.removeAll { $0.socket == socket } }
    }

    /// Whether libcurl is to look for idle connections that have ended.
    func takeSweep() -> Bool {
        guard sweeps.next != nil else { return false }
        return sweeps.take(at: SystemClock.monotonic.milliseconds, isDisturbed: !disturbed.isEmpty)
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
        let next = min(deadline ?? .max, sweeps.next ?? .max)
        let left = next == .max ? milliseconds : min(max(next - SystemClock.monotonic.milliseconds, 0), milliseconds)
        let isEarly = poll.wait(milliseconds: Int32(clamping: left)) { token, readiness in
            let socket = Int32(bitPattern: UInt32(truncatingIfNeeded: token))
            guard let wanted = watched[socket]?.wanted, wanted != CURL_POLL_NONE else {
                return disturb(socket, readiness)
            }
            var events: Int32 = 0
            if readiness.contains(.readable) { events |= CURL_CSELECT_IN }
            if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
            ready.append((socket, readiness.isBroken ? 0 : events))
        }
        return isEarly || left < milliseconds
    }

    /// Something has come over a connection that is idle, most likely its end. What else it is belongs to no answer (RFC 9112
    /// section 9.2), but libcurl would take it for the next one: so it ends the connection. libcurl sees that when the connection is
    /// to be used, or looks.
    private func disturb(_ socket: Int32, _ readiness: Readiness) {
        guard readiness.contains(.readable) || readiness.isBroken else {
            // A transfer had written last.
            watched[socket]?.registered = register(socket, for: CURL_POLL_IN) ? CURL_POLL_IN : CURL_POLL_NONE
            return
        }
        poll.remove(socket)
        guard let entry = watched[socket] else { return }
        if !entry.isPaused, !hasPausedUnseen { SocketTraffic.end(socket) }
        watched[socket]?.registered = CURL_POLL_NONE
        disturbed.insert(socket)
        sweeps.noteDisturbance(at: SystemClock.monotonic.milliseconds)
    }
}
