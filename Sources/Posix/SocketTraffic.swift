import CPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// What has gone over a TCP socket, and what waits in it.
package enum SocketTraffic {
    /// How many bytes were ever read from it. `nil` where that cannot be told: on a socket that is not TCP's, and on systems
    /// other than Linux.
    package static func bytesRead(from socket: Int32) -> UInt64? {
        var count: UInt64 = 0
        return unsafe clarion_socket_read_count(socket, &count) == 0 ? count : nil
    }

    /// Ends a connection without closing its socket: what waits to be read is thrown away, and whoever reads it or writes to it
    /// finds it ended.
    package static func end(_ socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_RDWR))
        // The bytes of a TCP socket are thrown away unseen (tcp(7), MSG_TRUNC). No more can come.
        while unsafe recv(socket, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
    }
}
