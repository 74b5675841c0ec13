import Glibc

/// The open connections of an event loop that libmicrohttpd reads from: streams that it has forgotten are not among them.
///
/// Confined to the loop's thread.
struct ConnectionTable {
    private var connections: [ObjectIdentifier: Connection] = [:]

    var isEmpty: Bool { connections.isEmpty }

    var count: Int { connections.count }

    var all: some Collection<Connection> { connections.values }

    mutating func insert(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = connection
    }

    /// Before the socket is closed: from then on its number can be another's.
    mutating func remove(_ connection: Connection) {
        connections[ObjectIdentifier(connection)] = nil
    }

    /// The socket of a connection, unless that has been closed.
    func socket(of connection: Connection) -> Int32? {
        connections[ObjectIdentifier(connection)]?.socket
    }
}
