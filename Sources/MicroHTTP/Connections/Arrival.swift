import Glibc

/// A connection that libmicrohttpd is to get: its socket, and where it comes from.
struct Arrival: Sendable {
    var socket: Int32 = -1
    var address = sockaddr_storage()
    var addressLength = socklen_t(MemoryLayout<sockaddr_storage>.size)

    init() {}

    /// One that libmicrohttpd had before; nil if its client is gone.
    init?(returning socket: Int32) {
        self.socket = socket
        let result = unsafe withUnsafeMutablePointer(to: &address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(socket, $0, &addressLength)
            }
        }
        guard result == 0 else { return nil }
    }
}
