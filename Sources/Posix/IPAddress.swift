#if canImport(Glibc)
    package import Glibc
#elseif canImport(Musl)
    package import Musl
#elseif canImport(Darwin)
    package import Darwin
#endif

/// An IPv4 or IPv6 address as a number, for arithmetic on prefixes.
///
/// Scope identifiers (`%eth0`) are not part of it: they choose an interface, not an address.
public struct IPAddress: Sendable, Hashable, CustomStringConvertible {
    /// The address family.
    public enum Family: Int, Sendable {
        /// 32 bits.
        case v4 = 32
        /// 128 bits.
        case v6 = 128

        /// Number of bits in an address of the family.
        public var bitWidth: Int { rawValue }
    }

    /// The family that says how many low bits of ``bits`` count.
    public let family: Family

    /// The address in host order, in the low 32 or all 128 bits.
    public let bits: UInt128

    package init(family: Family, bits: UInt128) { (self.family, self.bits) = (family, bits) }

    /// Parses the canonical forms `inet_pton(3)` knows: four decimal octets, or colon-separated IPv6.
    ///
    /// Obfuscated forms such as `0x7f.1` are no addresses here. They need not be: what counts is the address dialled.
    public init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        // inet_pton reads a NUL-terminated copy of `text` and fills the struct it is given.
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self.init(v4)
        } else if unsafe inet_pton(AF_INET6, text, &v6) == 1 {
            self.init(v6)
        } else {
            return nil
        }
    }

    /// The IPv4 address that an IPv4-mapped IPv6 one stands for (RFC 4291 section 2.5.5.2), else the address itself.
    public var unmapped: IPAddress {
        guard family == .v6, bits >> 32 == 0xffff else { return self }
        return IPAddress(family: .v4, bits: bits & 0xffff_ffff)
    }

    /// What one customer has: an IPv4 address, or the first 64 bits of an IPv6 address (RFC 6177).
    package var customer: IPAddress {
        family == .v6 ? IPAddress(family: .v6, bits: (bits >> 64) << 64) : self
    }

    package init(_ address: in_addr) { self.init(family: .v4, bits: UInt128(UInt32(bigEndian: address.s_addr))) }

    package init(_ address: in6_addr) {
        // Both are sixteen bytes of which any are a value.
        self.init(family: .v6, bits: UInt128(bigEndian: unsafe unsafeBitCast(address, to: UInt128.self)))
    }

    /// Reads a socket address, as it is passed to `connect(2)`; `nil` for families other than IPv4 and IPv6, and where it is
    /// cut short.
    package init?(socketAddress bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<sockaddr>.size else { return nil }
        switch Int32(unsafe bytes.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET where bytes.count >= MemoryLayout<sockaddr_in>.size:
            self.init(unsafe bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
        case AF_INET6 where bytes.count >= MemoryLayout<sockaddr_in6>.size:
            self.init(unsafe bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
        default:
            return nil
        }
    }

    /// The text `inet_ntop(3)` gives (RFC 5952 for IPv6).
    public var description: String {
        switch family {
        case .v4:
            return (0..<4).map { String(UInt8(truncatingIfNeeded: bits >> (24 - 8 * $0))) }.joined(separator: ".")
        case .v6:
            var address = unsafe unsafeBitCast(bits.bigEndian, to: in6_addr.self)
            // INET6_ADDRSTRLEN bytes hold any IPv6 text and its NUL; inet_ntop cannot fail with it.
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard let start = buffer.baseAddress,
                    let text = unsafe inet_ntop(AF_INET6, &address, start, socklen_t(INET6_ADDRSTRLEN))
                else { return "?" }
                return unsafe String(cString: text)
            }
        }
    }
}
