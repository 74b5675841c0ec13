import CMicroHTTPD
import Glibc

/// A peer's address as text.
enum RemoteAddress {
    /// `address:port`, with brackets around an IPv6 address; nil if the system would not tell.
    static func text(of connection: OpaquePointer) -> String? {
        guard let address = unsafe clarion_mhd_client_address(connection) else { return nil }
        switch unsafe Int32(address.pointee.sa_family) {
        case AF_INET:
            return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { v4 in
                let octets = unsafe UInt32(bigEndian: v4.pointee.sin_addr.s_addr)
                return unsafe text(octets, UInt16(bigEndian: v4.pointee.sin_port))
            }
        case AF_INET6:
            return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { v6 in
                unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
                    var bytes = unsafe v6.pointee.sin6_addr
                    let port = unsafe UInt16(bigEndian: v6.pointee.sin6_port)
                    // What a socket for both families shows of IPv4 (RFC 4291 section 2.5.5.2).
                    let words = unsafe bytes.__in6_u.__u6_addr32
                    if words.0 == 0, words.1 == 0, UInt32(bigEndian: words.2) == 0xffff {
                        return Self.text(UInt32(bigEndian: words.3), port)
                    }
                    guard let start = text.baseAddress,
                        unsafe inet_ntop(AF_INET6, &bytes, start, socklen_t(INET6_ADDRSTRLEN)) != nil
                    else { return nil }
                    return unsafe "[\(String(cString: start))]:\(port)"
                }
            }
        default: return nil
        }
    }

    private static func text(_ octets: UInt32, _ port: UInt16) -> String {
        "\(octets >> 24).\(octets >> 16 & 255).\(octets >> 8 & 255).\(octets & 255):\(port)"
    }
}
