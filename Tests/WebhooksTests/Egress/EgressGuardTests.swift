import Glibc
import Posix
import Testing

@testable import Webhooks

extension EgressGuard {
    /// Whether the address written as `text` may be dialled; `false` for anything that is not an address.
    fileprivate func permits(address text: String) -> Bool {
        IPAddress(text).map { refusal(of: $0) == nil } ?? false
    }
}

@Suite("EgressGuard")
struct EgressGuardTests {
    let egress = EgressGuard()

    /// First and last address of each range that is blocked, and the neighbours outside, `nil` where the neighbour is
    /// in another blocked range or does not exist.
    static let ranges: [(before: String?, first: String, last: String, after: String?)] = [
        (nil, "0.0.0.0", "0.255.255.255", "1.0.0.0"),
        ("9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"),
        ("100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"),
        ("126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"),
        ("169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"),
        ("172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"),
        ("191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"),
        ("192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"),
        ("192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0"),
        ("192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"),
        ("198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"),
        ("198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"),
        ("203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"),
        ("223.255.255.255", "224.0.0.0", "239.255.255.255", nil),
        (nil, "240.0.0.0", "255.255.255.255", nil),
        (nil, "100::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::"),
        ("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "2001:1::"),
        ("2001:1:ffff:ffff:ffff:ffff:ffff:ffff", "2001:2::", "2001:2:0:ffff:ffff:ffff:ffff:ffff", "2001:2:1::"),
        ("2001:f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:10::", "2001:2f:ffff:ffff:ffff:ffff:ffff:ffff", "2001:30::"),
        (
            "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            "2001:db9::"
        ),
        ("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"),
        ("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::"),
        (
            "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", nil
        ),
    ]

    @Test(
        "blocks each special range from its first to its last address, and not the neighbours",
        arguments: Self.ranges
    )
    func blocks(range: (before: String?, first: String, last: String, after: String?)) {
        #expect(!egress.permits(address: range.first))
        #expect(!egress.permits(address: range.last))
        if let before = range.before { #expect(egress.permits(address: before)) }
        if let after = range.after { #expect(egress.permits(address: after)) }
    }

    @Test(
        "unwraps IPv4 inside IPv6 and judges that",
        arguments: ["::ffff:", "::", "64:ff9b::"]
    )
    func unwraps(prefix: String) {
        for range in Self.ranges where !range.first.contains(":") {
            #expect(!egress.permits(address: prefix + range.first))
            #expect(!egress.permits(address: prefix + range.last))
            if let before = range.before { #expect(egress.permits(address: prefix + before)) }
            if let after = range.after { #expect(egress.permits(address: prefix + after)) }
        }
    }

    @Test(
        "blocks the rest of what is not public",
        arguments: [
            "::", "::1", "fe80::1", "fec0::1", "fc00::1", "fd12:3456::1", "ff02::1", "64:ff9b:1::1", "100::1",
            "::fffe:8.8.8.8", "64:ff9b::1:8.8.8.8", "5f00::1",
        ]
    )
    func others(address: String) {
        #expect(!egress.permits(address: address))
    }

    @Test(
        "blocks tunnels to IPv4 whatever is at their end",
        arguments: [
            "2002:7f00:1::1", "2002:808:808::1", "2001:0:7f00:1::1", "2001::8.8.8.8", "2001:0:53aa:64c:0:0:80ff:fefe",
            "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "64:ff9b:1::8.8.8.8", "::ffff:0:8.8.8.8", "::8.8.8.8.",
        ]
    )
    func tunnels(address: String) {
        #expect(!egress.permits(address: address))
    }

    /// What is dialled is judged as the kernel gets it: the bytes of a socket address.
    @Test("judges socket addresses", arguments: Self.ranges)
    func socketAddresses(range: (before: String?, first: String, last: String, after: String?)) throws {
        for text in [range.first, range.last] {
            #expect(try Self.refusal(egress, text) != nil, "\(text) is not blocked")
        }
        for text in [range.before, range.after].compactMap(\.self) {
            #expect(try Self.refusal(egress, text) == nil)
        }
    }

    @Test("a scope changes nothing, and neither do port and flow")
    func scopes() throws {
        for text in ["fe80::1", "::1", "ff02::1", "::ffff:127.0.0.1"] {
            #expect(try Self.refusal(egress, text, scope: 2) != nil, "\(text) is not blocked")
        }
        #expect(try Self.refusal(egress, "2606:4700::1111", scope: 7) == nil)
    }

    @Test("addresses that are cut short, or of other families, are blocked", arguments: [0, 1, 2, 8, 15, 16, 27])
    func short(length: Int) throws {
        #expect(try Self.refusal(egress, "2606:4700::1111", length: length) != nil)
        var local = sockaddr_un()
        local.sun_family = sa_family_t(AF_UNIX)
        let address = unsafe withUnsafeBytes(of: &local) { unsafe IPAddress(socketAddress: $0) }
        let refusal = egress.refusal(of: address)
        #expect(refusal == "only IPv4 and IPv6 addresses may be dialled")
    }

    private static func refusal(
        _ egress: EgressGuard,
        _ text: String,
        scope: UInt32 = 0,
        length: Int? = nil
    ) throws -> String? {
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_port = in_port_t(443).bigEndian
        if unsafe inet_pton(AF_INET, text, &v4.sin_addr) == 1 {
            return unsafe withUnsafeBytes(of: &v4) { bytes in
                egress.refusal(of: unsafe IPAddress(socketAddress: .init(rebasing: bytes[..<(length ?? bytes.count)])))
            }
        }
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_port = in_port_t(443).bigEndian
        v6.sin6_flowinfo = 0xffff_ffff
        v6.sin6_scope_id = scope
        try #require(unsafe inet_pton(AF_INET6, text, &v6.sin6_addr) == 1)
        return unsafe withUnsafeBytes(of: &v6) { bytes in
            egress.refusal(of: unsafe IPAddress(socketAddress: .init(rebasing: bytes[..<(length ?? bytes.count)])))
        }
    }

    @Test("permits public addresses", arguments: ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "2a00:1450::1"])
    func publicAddresses(address: String) {
        #expect(egress.permits(address: address))
    }

    @Test(
        "text that is no address is not permitted",
        arguments: ["", "localhost", "0x7f.1", "1", "fe80::1%lo", "8.8.8"]
    )
    func noAddress(text: String) {
        #expect(!egress.permits(address: text))
    }

    @Test("the reason names the address and the option that allows it")
    func reason() throws {
        let expected = [
            "127.0.0.1":
                "127.0.0.1 is not a public address; to allow it, start the hub with --allow-egress 127.0.0.0/8",
            "::1": "::1 is not a public address; to allow it, start the hub with --allow-egress ::1/128",
            "fd00::1": "fd00::1 is not a public address; to allow it, start the hub with --allow-egress fc00::/7",
            "::ffff:10.0.0.1":
                "::ffff:10.0.0.1 is not a public address; to allow it, start the hub with --allow-egress 10.0.0.0/8",
        ]
        for (text, reason) in expected {
            #expect(egress.refusal(of: try #require(IPAddress(text))) == reason)
        }
    }

    @Test("an allowed range opens exactly itself, also where it is wrapped in IPv6")
    func allowed() throws {
        let egress = EgressGuard(allowing: [try CIDRBlock("127.0.0.0/30"), try CIDRBlock("fd00::/64")])
        for open in ["127.0.0.0", "127.0.0.3", "::ffff:127.0.0.1", "fd00::1", "8.8.8.8"] {
            #expect(egress.permits(address: open))
        }
        for closed in ["126.0.0.1/8", "127.0.0.4", "::ffff:127.0.0.4", "fd00:0:0:1::", "::1", "10.0.0.1"] {
            #expect(!egress.permits(address: closed))
        }
    }

    @Test(
        "what the reason suggests opens the address",
        arguments: ["0.0.0.0", "127.0.0.1", "::", "::1", "fe80::1", "100::1"]
    )
    func suggestion(text: String) throws {
        let address = try #require(IPAddress(text))
        let range = try #require(egress.refusal(of: address)?.split(separator: " ").last)
        #expect(EgressGuard(allowing: [try CIDRBlock(String(range))]).permits(address: text))
    }
}
