import Posix

/// Decides which addresses may be dialled, so that a webhook URL cannot reach into the operator's network.
///
/// It judges the very address a connection is about to be opened to (see `CURLOPT_OPENSOCKETFUNCTION`), after all name
/// resolution, so neither DNS rebinding nor an obfuscated literal passes it.
///
/// ```swift
/// let guard = EgressGuard(allowing: [try CIDRBlock("127.0.0.0/8")])
/// guard.refusal(of: IPAddress("127.0.0.1")!)   // nil
/// guard.refusal(of: IPAddress("10.0.0.1")!)    // the reason
/// ```
struct EgressGuard: Sendable {
    /// What may be dialled besides public unicast addresses.
    private let allowed: [CIDRBlock]

    init(allowing allowed: [CIDRBlock] = []) { self.allowed = allowed }

    /// Why an address may not be dialled, as a sentence that says how to allow it; nil if it may.
    ///
    /// - Parameter address: nil for one of a family other than IPv4 and IPv6, which may not.
    func refusal(of address: IPAddress?) -> String? {
        guard let address else { return "only IPv4 and IPv6 addresses may be dialled" }
        let effective = address.unwrapped
        guard !allowed.contains(where: { $0.contains(address) || $0.contains(effective) }),
            let range = Self.blockedRange(of: effective)
        else { return nil }
        return "\(address) is not a public address; to allow it, start the hub with --allow-egress \(range)"
    }

    /// The range that makes the address unfit for dialling, or `nil` if it is public unicast.
    static func blockedRange(of address: IPAddress) -> CIDRBlock? {
        if let named = blocked.first(where: { $0.contains(address) }) { return named }
        return address.family == .v4 || globalUnicast.contains(address) ? nil : CIDRBlock(address, prefixLength: 128)
    }

    /// The only unicast space of IPv6 that IANA has allocated (RFC 4291, RFC 3587).
    private static let globalUnicast = block("2000::/3")

    /// IANA IPv4 Special-Purpose Address Registry, multicast and class E; of IPv6 special ranges inside `2000::/3`, then names for
    /// common ones outside it, which make a better message than a /128.
    private static let blocked = [
        block("0.0.0.0/8"),  // "this network", RFC 791
        block("10.0.0.0/8"),  // private, RFC 1918
        block("100.64.0.0/10"),  // carrier-grade NAT, RFC 6598
        block("127.0.0.0/8"),  // loopback, RFC 1122
        block("169.254.0.0/16"),  // link-local and cloud metadata, RFC 3927
        block("172.16.0.0/12"),  // private, RFC 1918
        block("192.0.0.0/24"),  // IETF protocol assignments, RFC 6890
        block("192.0.2.0/24"),  // documentation, RFC 5737
        block("192.88.99.0/24"),  // 6to4 relay anycast, RFC 7526
        block("192.168.0.0/16"),  // private, RFC 1918
        block("198.18.0.0/15"),  // benchmarking, RFC 2544
        block("198.51.100.0/24"),  // documentation, RFC 5737
        block("203.0.113.0/24"),  // documentation, RFC 5737
        block("224.0.0.0/4"),  // multicast, RFC 5771
        block("240.0.0.0/4"),  // reserved and limited broadcast, RFC 1112
        block("2001::/32"),  // Teredo, RFC 4380
        block("2001:2::/48"),  // benchmarking, RFC 5180
        block("2001:10::/28"),  // ORCHID, RFC 4843
        block("2001:20::/28"),  // ORCHIDv2, RFC 7343
        block("2001:db8::/32"),  // documentation, RFC 3849
        block("2002::/16"),  // 6to4, RFC 7526
        block("3fff::/20"),  // documentation, RFC 9637
        block("fc00::/7"),  // unique local, RFC 4193
        block("fe80::/10"),  // link-local, RFC 4291
        block("ff00::/8"),  // multicast, RFC 4291
    ]

    /// One that is written here, and therefore right.
    private static func block(_ text: String) -> CIDRBlock { try! CIDRBlock(text) }
}

extension IPAddress {
    /// The IPv4 address inside an IPv6 one that stands for it, else the address itself.
    ///
    /// v4-mapped `::ffff:0:0/96` and v4-compatible `::/96` (RFC 4291 section 2.5.5), and NAT64 `64:ff9b::/96` (RFC 6052):
    /// dialling one of these reaches the IPv4 address in its last 32 bits.
    var unwrapped: IPAddress {
        guard family == .v6 else { return self }
        let prefixes: [UInt128] = [0xffff, 0, 0x0064_ff9b << 64]
        guard prefixes.contains(bits >> 32) else { return self }
        // The unspecified address and loopback share the v4-compatible prefix but are addresses of their own.
        guard bits > 1 else { return self }
        return IPAddress(family: .v4, bits: bits & 0xffff_ffff)
    }
}
