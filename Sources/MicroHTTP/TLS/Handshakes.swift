import CMicroHTTPD
import Posix

/// The handshakes of an event loop that are not over.
///
/// Libmicrohttpd 0.9.75 asks for ever whether one goes on that has begun: five hundred clients that stop in the middle took half
/// a processor. So it leaves those alone that wait, until their sockets have something for them. Confined to the loop's thread.
struct Handshakes {
    /// Libmicrohttpd's.
    private var open: [ObjectIdentifier: Connection] = [:]
    /// Those that wait, by the tokens of their sockets.
    private var suspended: [UInt64: Connection] = [:]

    /// Set in the tokens of their sockets, and in no stream's; the rest is the socket.
    private static let mark: UInt64 = 1 << 61

    mutating func insert(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = connection
    }

    /// Before the connection's socket is closed. It is not suspended: libmicrohttpd closes none that are.
    mutating func remove(_ connection: Connection) {
        open[ObjectIdentifier(connection)] = nil
    }

    /// Has libmicrohttpd, which has nothing to read at them, leave those alone that have begun. Not during its run.
    mutating func suspend(_ poll: EventPoll) {
        for (id, connection) in open {
            guard let session = connection.session, !session.isEstablished else {
                open[id] = nil
                continue
            }
            // Before the first byte libmicrohttpd asks for nothing.
            guard session.isInHandshake else { continue }
            let token = Self.mark | UInt64(connection.socket)
            let interest: Readiness = session.isWriting ? .writable : .readable
            // What has come since is told, too. One that cannot be watched stays.
            guard poll.watch(connection.socket, for: interest, token: token) else { continue }
            unsafe MHD_suspend_connection(connection.handle)
            open[id] = nil
            suspended[token] = connection
        }
    }

    /// Has the handshake go on at whose socket something has happened. Returns false if the token is none of theirs.
    mutating func handle(token: UInt64, poll: EventPoll) -> Bool {
        guard token & Self.mark != 0, let connection = suspended.removeValue(forKey: token) else { return false }
        resume(connection, poll)
        return true
    }

    /// Has them all go on: libmicrohttpd may not be stopped before.
    mutating func resume(_ poll: EventPoll) {
        for connection in suspended.values { resume(connection, poll) }
        suspended = [:]
    }

    private mutating func resume(_ connection: Connection, _ poll: EventPoll) {
        poll.remove(connection.socket)
        open[ObjectIdentifier(connection)] = connection
        unsafe MHD_resume_connection(connection.handle)
    }
}
