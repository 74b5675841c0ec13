import CCurl
import Foundation
import Posix
import Randomness
import Testing

@testable import Webhooks

/// URLs as a client may write them, to pass the egress guard or by accident.
@Suite("URLs, however they are written")
struct WebhookURLPropertyTests {
    @Test("what is accepted reads back equal, and is read by libcurl as it was judged")
    func stable() {
        search { random in
            let (text, address) = random.url()
            guard let url = try? WebhookURL(text, httpsOnly: false) else { return nil }
            let written = url.description
            guard (try? WebhookURL(written, httpsOnly: false)) == url else {
                return "\(text) is \(written), then another"
            }
            guard written.utf8.count <= WebhookURL.maximumLength, written.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
            else { return "\(text) is \(written)" }
            guard Dialled(written) == Dialled(scheme: url.scheme, host: url.host, port: url.port) else {
                return "\(text) is \(written), of which libcurl dials \(String(describing: Dialled(written)))"
            }
            // Any resolver would dial what the most liberal one reads in the host.
            guard Self.liberally(url.host).map({ $0 == url.address }) ?? true else { return "\(text) is \(written)" }
            guard let address else { return nil }
            return url.address == address ? nil : "\(text) is judged as \(url.host), not \(address)"
        }
    }

    @Test("behind a proxy, no address that is blocked reaches it, and what reaches it is what was judged")
    func proxied() async throws {
        let proxy = try Receiver { _ in .status(403) }
        let fixture = try DispatcherFixture(allowing: [], proxy: "http://127.0.0.1:\(proxy.port)")
        let delivery = DueDelivery(id: 1, eventID: "e", topic: "t", body: [])
        var (sent, blocked) = (0, 0)
        try await fixture.run(proxy) {
            for seed in 0..<UInt64(600) {
                var random = SeededGenerator(seed: seed)
                let text = random.url().text
                guard let endpoint = try? fixture.endpoint("a", text) else { continue }
                let before = proxy.requests.count
                let outcome = try await fixture.dispatcher.attempt(delivery, at: endpoint)
                if let address = endpoint.url.address, EgressGuard().refusal(of: address) != nil {
                    #expect(outcome.answer.failure == .egressBlocked, "\(text)")
                    #expect(proxy.requests.count == before, "seed \(seed): \(text) has reached the proxy")
                    blocked += 1
                    continue
                }
                let request = try #require(proxy.requests.last)
                #expect(proxy.requests.count == before + 1, "\(text)")
                let received = request.method == "CONNECT" ? "https://\(request.path)/" : request.path
                let dialled = try #require(Dialled(received), "\(received)")
                #expect(
                    dialled == Dialled(scheme: endpoint.url.scheme, host: endpoint.url.host, port: endpoint.url.port)
                )
                if let address = Self.liberally(dialled.host) {
                    #expect(EgressGuard().refusal(of: address) == nil, "seed \(seed): \(text) is \(received)")
                }
                sent += 1
            }
        }
        #expect(sent > 50 && blocked > 50, "\(sent) were sent and \(blocked) blocked")
    }

    @Test(
        "an address that is written in another way is judged as what is dialled",
        arguments: [
            ("http://127%2e1:8500/", "127.0.0.1"), ("http://169%2e16689662/", "169.254.169.254"),
            ("http://%32852039166/", "169.254.169.254"), ("http://%31%32%37.1/", "127.0.0.1"),
        ]
    )
    func known(text: String, address: String) throws {
        let url = try WebhookURL(text, httpsOnly: false)
        #expect(url.host == address)
        #expect(url.address == IPAddress(address))
    }

    @Test(
        "a host that another might read otherwise is refused",
        arguments: [
            "http://127%252e1/", "http://127.1%252e/", "http://a%252fb.example/x", "http://a%25zz.example/",
            "http://a%252500.example/",
            "http://a%2525252e.example/",
            "http://127.0.0.08/", "http://1.2.3.4.5/", "http://a.0x/", "http://a.0x7f/", "http://4294967296/",
            "http://example.1/", "http://127.0.0.1%2508/", "http://256.1.1.1/",
            "https://example.com/" + String(repeating: "é", count: 2000),
        ]
    )
    func refused(text: String) {
        #expect { try WebhookURL(text, httpsOnly: false) } throws: { ($0 as? WebhookError)?.code == .urlInvalid }
    }

    /// The address that `inet_aton(3)` reads: also in octal, in hexadecimal, and of fewer parts than four.
    private static func liberally(_ host: String) -> IPAddress? {
        var address = in_addr()
        return unsafe inet_aton(host, &address) == 0 ? nil : IPAddress(address)
    }
}

/// What a transfer makes of a URL: libcurl's parser with the options that it has for `CURLOPT_URL`, and no step of ours.
private struct Dialled: Equatable {
    var scheme: String
    var host: String
    var port: Int

    init(scheme: String, host: String, port: Int) {
        self.scheme = scheme
        self.host = host
        self.port = port
    }

    init?(_ text: String) {
        let handle = unsafe curl_url()
        defer { unsafe curl_url_cleanup(handle) }
        func part(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(handle, part, &text, UInt32(CURLU_DEFAULT_PORT)) == CURLUE_OK,
                let text = unsafe text
            else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        let flags = UInt32(CURLU_GUESS_SCHEME | CURLU_NON_SUPPORT_SCHEME)
        guard unsafe curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK,
            let scheme = part(CURLUPART_SCHEME), let host = part(CURLUPART_HOST),
            let port = part(CURLUPART_PORT).flatMap({ Int($0) })
        else { return nil }
        self.init(scheme: scheme, host: host, port: port)
    }
}

extension SeededGenerator {
    /// A URL, and the address that its host is another spelling of, if it was made of one.
    fileprivate mutating func url() -> (text: String, address: IPAddress?) {
        let isAddress = !chance(3)
        let bits = address()
        var host = isAddress ? spelled(bits) : name()
        let isMutilated = chance(6)
        if isMutilated { host = mutated(host) }
        host = encoded(host)
        if chance(5) { host += one(of: [".", "%2e", "%2E", "%252e", ".."]) }
        let scheme = one(of: ["http", "http", "https", "HTTP", "hTTps"])
        let port = chance(3) ? one(of: [":8500", ":80", ":0", ":65535", ":65536", ":", ":08080"]) : ""
        let user = chance(20) ? one(of: ["a@", "a:b@", "@", "127.0.0.1%40"]) : ""
        let path = one(of: [
            "", "/", "/x", "/a/../b", "/%2e%2e/x", "/é", "/a%zz", "//x", "/x?y=é#z", "?a=/..", "#f", "/;a=b",
        ])
        let text = "\(scheme)://\(user)\(host)\(port)\(path)"
        return (text, isAddress && !isMutilated && user.isEmpty ? IPAddress(family: .v4, bits: UInt128(bits)) : nil)
    }

    private mutating func address() -> UInt32 {
        switch number(0...4) {
        case 0: UInt32(truncatingIfNeeded: next())
        case 1: 0x7F00_0000 | UInt32(number(0...0xFF_FFFF))
        default:
            one(of: [0x7F00_0001, 0xA9FE_A9FE, 0, 0x0A00_0001, 0xC0A8_0101, 0x0808_0808, 0xFFFF_FFFF, 0x0102_0304])
        }
    }

    /// An address in one of the ways that `inet_aton(3)` reads, or as IPv6.
    private mutating func spelled(_ bits: UInt32) -> String {
        let bytes = (0..<4).map { bits >> (24 - 8 * $0) & 0xFF }
        let parts: [UInt32] =
            switch number(0...4) {
            case 0: [bits]
            case 1: [bytes[0], bits & 0xFF_FFFF]
            case 2: [bytes[0], bytes[1], bits & 0xFFFF]
            default: bytes
            }
        return parts.map { part in
            switch number(0...5) {
            case 0: "0x" + String(part, radix: 16, uppercase: chance(2))
            case 1: "0" + String(part, radix: 8)
            case 2: "0X" + String(part, radix: 16)
            case 3 where chance(3): "000" + String(part, radix: 8)
            default: String(part)
            }
        }.joined(separator: ".")
    }

    private mutating func name() -> String {
        one(of: [
            "example.com", "localhost", "a.localhost", "xn--bcher-kva.example", "bücher.example", "a..b", "a_b.example",
            "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0::1]", "[fe80::1%25eth0]", "[64:ff9b::7f00:1]",
            "[2606:4700::1111]", "①②⑦.0.0.1", "127。0。0。1", "127.0.0.1.nip.io", "0x7f.1.example", "1.2.3.4.5", "a.08",
            "127.0.0.1\u{AD}", "ｌocalhost", "K\u{212A}.example",
        ])
    }

    /// Some characters percent-encoded, or all, once or more often.
    private mutating func encoded(_ host: String) -> String {
        var host = host
        for _ in 0..<(chance(3) ? number(1...3) : 0) {
            let one = number(1...4)
            host = host.utf8.map { byte in
                guard number(1...4) <= one else { return String(UnicodeScalar(byte)) }
                return "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: chance(2))
            }.joined()
        }
        return host
    }
}
