import CMicroHTTPD
import Glibc
import Locking
import Posix

/// A bound TCP socket that listens. Opened here and not by libmicrohttpd, which would not tell why it failed; and accepted from
/// here, because version 0.9.75, having met the limit of descriptors once, waits for one of its own to be closed.
final class ListeningSocket: Sendable {
    /// What became of a look at the queue.
    enum Acceptance {
        case arrived(Arrival)
        case nothing
        /// The process or the system has no descriptor, or no memory.
        case failed
    }

    /// For the loops, which end before it is closed.
    let descriptor: Int32
    let port: UInt16
    /// Held by whoever is no loop while the descriptor is used: once it is closed, another file may have the number.
    private let isClosed = Lock(false)

    init(host: String, port: UInt16) throws(ServerError) {
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let failure = unsafe getaddrinfo(host, String(port), &hints, &list)
        guard failure == 0 else {
            throw ServerError(
                code: "address-invalid",
                description: unsafe "cannot listen on \(host): \(String(cString: gai_strerror(failure)))"
            )
        }
        defer { unsafe freeaddrinfo(list) }

        // A name can stand for several addresses, of which this machine need not have all: `localhost` without IPv6.
        var number: Int32 = 0
        var next = unsafe list
        while let address = unsafe next?.pointee {
            if let descriptor = unsafe Self.listen(on: address) {
                self.descriptor = descriptor
                self.port = Self.boundPort(descriptor)
                return
            }
            number = errno
            unsafe next = address.ai_next
        }
        throw Self.error(number, host: host, port: port)
    }

    /// Returns nil and leaves the reason in `errno`.
    private static func listen(on address: addrinfo) -> Int32? {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = unsafe socket(address.ai_family, type, 0)
        guard descriptor >= 0 else { return nil }
        var on: Int32 = 1
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard unsafe bind(descriptor, address.ai_addr, address.ai_addrlen) == 0,
            Glibc.listen(descriptor, SOMAXCONN) == 0
        else {
            let number = errno
            Glibc.close(descriptor)
            errno = number
            return nil
        }
        return descriptor
    }

    /// Takes one connection out of the queue.
    func accept() -> Acceptance {
        var arrival = Arrival()
        let flags = Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        arrival.socket = unsafe withUnsafeMutablePointer(to: &arrival.address) { address in
            unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe accept4(descriptor, $0, &arrival.addressLength, flags)
            }
        }
        if arrival.socket >= 0 { return .arrived(arrival) }
        switch errno {
        case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .failed
        // Also an error of a connection that is gone already: the next is seen to in the next turn.
        default: return .nothing
        }
    }

    /// How many connections wait to be accepted (tcp(7): of a socket that listens, `tcpi_unacked`). For the loops.
    var waiting: Int {
        var info = tcp_info()
        var length = socklen_t(MemoryLayout<tcp_info>.size)
        let result = unsafe getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &info, &length)
        return result == 0 ? Int(info.tcpi_unacked) : 0
    }

    /// Has the kernel drop what arrives, as if the network had lost it.
    func dropArrivals() {
        isClosed.withLock { isClosed in
            if !isClosed { _ = clarion_drop_arrivals(descriptor) }
        }
    }

    /// Gives the port back, once. No loop may be left that accepts.
    func close() {
        isClosed.withLock { isClosed in
            guard !isClosed else { return }
            isClosed = true
            Glibc.close(descriptor)
        }
    }

    deinit {
        close()
    }

    private static func error(_ number: Int32, host: String, port: UInt16) -> ServerError {
        let (code, reason) =
            switch number {
            case EADDRINUSE: ("address-in-use", "the port is in use by another program")
            case EADDRNOTAVAIL: ("address-unavailable", "this machine has no such address")
            case EACCES: ("address-unavailable", "the port needs privileges")
            default: ("listen-failed", SystemError.reason(number))
            }
        return ServerError(code: code, description: "cannot listen on \(host):\(port): \(reason)")
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16 {
        var address = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return unsafe withUnsafeMutablePointer(to: &address) { storage in
            unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = unsafe getsockname(descriptor, address, &length)
            }
            // The port stands at the same place in sockaddr_in and sockaddr_in6.
            return unsafe storage.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                unsafe UInt16(bigEndian: $0.pointee.sin_port)
            }
        }
    }
}
