import Posix
import Testing

@testable import Webhooks

@Suite("CIDRBlock")
struct CIDRBlockTests {
    @Test(
        "parses ranges and bare addresses, and clears host bits",
        arguments: [
            ("127.0.0.0/8", "127.0.0.0/8"), ("10.1.2.3/8", "10.0.0.0/8"), ("0.0.0.0/0", "0.0.0.0/0"),
            ("255.255.255.255/32", "255.255.255.255/32"), ("192.0.2.7", "192.0.2.7/32"),
            ("::1/128", "::1/128"), ("::1", "::1/128"), ("2001:db8::ffff/32", "2001:db8::/32"), ("ff::/0", "::/0"),
        ]
    )
    func parses(text: String, canonical: String) throws {
        #expect(try CIDRBlock(text).description == canonical)
    }

    @Test(
        "refuses what is neither",
        arguments: [
            "", "/", "127.0.0.1/", "127.0.0.1/33", "127.0.0.1/-1", "127.0.0.1/+8", "127.0.0.1/8/8", "127.0.0/8",
            "::1/129", "::1%lo/128", "localhost", "0x7f.1", "127.0.0.1/ 8", " 127.0.0.1", "256.0.0.1/8",
            "127.0.0.1/99999999999999999999",
        ]
    )
    func refuses(text: String) {
        #expect { try CIDRBlock(text) } throws: { ($0 as? WebhookError)?.code == .cidrInvalid }
    }

    @Test("contains its first and last address and no neighbour, for every prefix length of both families")
    func boundaries() throws {
        for (text, width) in [("172.20.30.40", 32), ("2001:db8:1234:5678:9abc:def0:1357:9bdf", 128)] {
            let address = try #require(IPAddress(text))
            for length in 0...width {
                let block = CIDRBlock(address, prefixLength: length)
                let first = block.network.bits
                let size = length == 0 ? 0 : UInt128(1) << (width - length)
                let last = length == 0 ? (width == 32 ? 0xffff_ffff : UInt128.max) : first + (size - 1)
                #expect(block.contains(IPAddress(family: address.family, bits: first)))
                #expect(block.contains(IPAddress(family: address.family, bits: last)))
                #expect(block.contains(address))
                guard length > 0 else { continue }
                if first > 0 { #expect(!block.contains(IPAddress(family: address.family, bits: first - 1))) }
                let top = width == 32 ? 0xffff_ffff : UInt128.max
                if last < top { #expect(!block.contains(IPAddress(family: address.family, bits: last + 1))) }
            }
        }
    }

    @Test("never contains an address of the other family")
    func families() throws {
        let unspecified = try #require(IPAddress("::"))
        #expect(try !CIDRBlock("0.0.0.0/0").contains(unspecified))
        let any = try #require(IPAddress("0.0.0.0"))
        #expect(try !CIDRBlock("::/0").contains(any))
    }
}
