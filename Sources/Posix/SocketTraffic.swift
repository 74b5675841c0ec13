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

    /// Whether something waits to be read, or the other side has ended the connection.
    package static func hasPending(_ socket: Int32) -> Bool {
        var byte: UInt8 = 0
        return unsafe recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) >= 0
    }

    /// Ends a connection without closing its socket: what waits to be read is thrown away, and whoever reads it or writes to it
    /// finds it ended.
    package static func end(_ socket: Int32) {
        _ = shutdown(socket, Int32(SHUT_RDWR))
        // The bytes of a TCP socket are thrown away unseen (tcp(7), MSG_TRUNC). No more can come.
        while unsafe recv(socket, nil, 1 << 20, Int32(MSG_TRUNC | MSG_DONTWAIT)) > 0 {}
    }

    /// The port of this machine that it is bound to; 0 if it has none.
    package static func localPort(of socket: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { storage in
            let result = unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                unsafe getsockname(socket, address, &length)
            }
            // The port stands at the same place in sockaddr_in and sockaddr_in6.
            return unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                let family = unsafe Int32(address.pointee.sin_family)
                let hasPort = result == 0 && (family == AF_INET || family == AF_INET6)
                return unsafe hasPort ? UInt16(bigEndian: address.pointee.sin_port) : 0
            }
        }
    }
}
