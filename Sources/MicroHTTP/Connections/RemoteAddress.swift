import CMicroHTTPD
import Glibc
import Posix

/// Where a connection comes from.
enum RemoteAddress {
    /// `address:port`, with brackets around an IPv6 address; nil if the system would not tell. What a socket for both families
    /// shows of IPv4 is IPv4.
    static func text(of connection: OpaquePointer) -> String? {
        guard let (peer, port) = unsafe peer(of: connection) else { return nil }
        return peer.family == .v6 ? "[\(peer)]:\(port)" : "\(peer):\(port)"
    }

    /// The customer's; nil if the system would not tell.
    static func customer(of connection: OpaquePointer) -> IPAddress? {
        unsafe peer(of: connection)?.address.customer
    }

    private static func peer(of connection: OpaquePointer) -> (address: IPAddress, port: UInt16)? {
        guard let address = unsafe clarion_mhd_client_address(connection) else { return nil }
        let isIPv6 = unsafe Int32(address.pointee.sa_family) == AF_INET6
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        // `unsafe`: it is the connection's, as long as its family says, and read here only.
        let bytes = unsafe UnsafeRawBufferPointer(start: address, count: size)
        guard let peer = unsafe IPAddress(socketAddress: bytes)?.unmapped else { return nil }
        // Both families have the port behind their number.
        return (peer, unsafe UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self)))
    }
}
