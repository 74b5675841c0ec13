import CPosix

/// What has gone over a TCP socket.
package enum SocketTraffic {
    /// How many bytes were ever read from it. `nil` where that cannot be told: on a socket that is not TCP's, and on systems
    /// other than Linux.
    package static func bytesRead(from socket: Int32) -> UInt64? {
        var count: UInt64 = 0
        return unsafe clarion_socket_read_count(socket, &count) == 0 ? count : nil
    }
}
