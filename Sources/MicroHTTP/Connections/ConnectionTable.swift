import Glibc
import Locking

/// The open connections of a server.
final class ConnectionTable: Sendable {
    private let connections = Lock<[ObjectIdentifier: Connection]>([:])

    /// How many there are.
    var count: Int { connections.withLock { $0.count } }

    /// All of them, at this moment.
    var all: [Connection] { connections.withLock { Array($0.values) } }

    /// Returns whether it is the only one.
    func insert(_ connection: Connection) -> Bool {
        connections.withLock { connections in
            connections[ObjectIdentifier(connection)] = connection
            return connections.count == 1
        }
    }

    /// Before the socket is closed: from then on its number can be another's.
    func remove(_ connection: Connection) {
        connections.withLock { $0[ObjectIdentifier(connection)] = nil }
    }

    /// Does something with the socket of a connection, unless that has been closed. The lock keeps the number its own.
    func withSocket(of connection: Connection, _ body: (Int32) -> Void) {
        connections.withLock { connections in
            if connections[ObjectIdentifier(connection)] != nil { body(connection.socket) }
        }
    }

    /// Ends a connection: libmicrohttpd is told by its epoll set, and closes it. From any thread.
    func end(_ connection: Connection) {
        withSocket(of: connection) { _ = shutdown($0, Int32(SHUT_RDWR)) }
    }
}
