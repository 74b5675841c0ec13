import Webhooks
import EventLog
import Foundation
import Randomness
import Testing

@testable import Clarion
@testable import MicroHTTP

@Suite struct TrustedProxiesTests {
    private let proxies: TrustedProxies

    init() throws {
        proxies = TrustedProxies([try CIDRBlock("10.0.0.0/8"), try CIDRBlock("fd00::/16")])
    }

    private func seen(_ fields: [(String, String)], from peer: String = "10.0.0.1:5000") throws -> Request {
        let request = try Request(fields: fields.map { ($0.0, Array($0.1.utf8)) }, from: peer)
        return proxies.unwrap(request)
    }

    @Test(arguments: [
        // One proxy.
        (["203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7:4711"], "203.0.113.7:4711"),
        (["2001:db8::7"], "[2001:db8::7]"),
        (["[2001:DB8::7]"], "[2001:db8::7]"),
        (["[2001:db8::7]:4711"], "[2001:db8::7]:4711"),
        (["::ffff:203.0.113.7"], "203.0.113.7"),
        (["203.0.113.7:_p"], "203.0.113.7"),
        // What a client has made up stands to the left.
        (["192.0.2.1, 203.0.113.7"], "203.0.113.7"),
        (["192.0.2.1", "203.0.113.7"], "203.0.113.7"),
        (["10.9.9.9,203.0.113.7"], "203.0.113.7"),
        (["\"192.0.2.1, 203.0.113.7"], "203.0.113.7"),
        (["\u{600}", "203.0.113.7"], "203.0.113.7"),
        (["192.0.2.1\u{600},203.0.113.7"], "203.0.113.7"),
        // Several proxies, up to the first address that is none of them.
        (["192.0.2.1, 203.0.113.7, 10.0.0.2,\tfd00::2 ", "10.0.0.3"], "203.0.113.7"),
        (["192.0.2.1, 203.0.113.7, ::ffff:10.0.0.2"], "203.0.113.7"),
        (["10.0.0.9, 10.0.0.2"], "10.0.0.9"),
        // Who is hidden, or cannot be read, is the proxy that does not tell.
        (["192.0.2.1, unknown"], "10.0.0.1:5000"),
        (["192.0.2.1, _hidden"], "10.0.0.1:5000"),
        (["192.0.2.1, "], "10.0.0.1:5000"),
        ([""], "10.0.0.1:5000"),
        (["192.0.2.1, unknown, 10.0.0.2"], "10.0.0.2"),
        (["192.0.2.1, 203.0.113.256"], "10.0.0.1:5000"),
        (["192.0.2.1, 203.0.113.7:65536"], "10.0.0.1:5000"),
        (["192.0.2.1, 203.0.113.7:"], "10.0.0.1:5000"),
        (["192.0.2.1, 203.0.113.7:+1"], "10.0.0.1:5000"),
        (["192.0.2.1, [203.0.113.7]:1x"], "10.0.0.1:5000"),
        (["192.0.2.1, [2001:db8::7"], "10.0.0.1:5000"),
        (["192.0.2.1, fe80::1%eth0"], "10.0.0.1:5000"),
        (["192.0.2.1, 203.0.113.7 198.51.100.1"], "10.0.0.1:5000"),
    ])
    func `the right-most address that is no proxy is the client`(fields: [String], client: String) throws {
        #expect(try seen(fields.map { ("X-Forwarded-For", $0) }).remoteAddress == client)
    }

    @Test(arguments: [
        (["for=203.0.113.7"], "203.0.113.7", nil, nil),
        (["For=\"203.0.113.7:4711\" ; PROTO=HTTPS;Host=Hub.Example:84"], "203.0.113.7:4711", "hub.example:84", "https"),
        (["for=\"[2001:db8::7]:4711\";proto=http"], "[2001:db8::7]:4711", nil, "http"),
        (["for=[2001:db8::7];by=10.0.0.1"], "[2001:db8::7]", nil, nil),
        (["for=\"20\\3.0.113.7\""], "203.0.113.7", nil, nil),
        // A comma in a quoted string ends nothing, nor does a quotation mark that is escaped there.
        (["for=203.0.113.7;by=\"_a, for=192.0.2.1\""], "203.0.113.7", nil, nil),
        (["for=192.0.2.2, for=203.0.113.7;by=\"_a\\\", for=192.0.2.1\""], "203.0.113.7", nil, nil),
        // What a client has made up, with quotation marks that it leaves open.
        (["for=192.0.2.1;host=localhost, for=203.0.113.7"], "203.0.113.7", nil, nil),
        (["for=\"192.0.2.1, for=203.0.113.7;proto=https"], "203.0.113.7", nil, "https"),
        (["for=\", for=\"[2001:db8::7]\""], "[2001:db8::7]", nil, nil),
        (["for=\"\\", "for=203.0.113.7"], "203.0.113.7", nil, nil),
        (["for=10.0.0.2;for=192.0.2.1, for=203.0.113.7"], "203.0.113.7", nil, nil),
        // What the outermost proxy was asked counts.
        (["for=192.0.2.1, for=203.0.113.7;host=h;proto=https, for=10.0.0.2;host=inner"], "203.0.113.7", "h", "https"),
        (["for=203.0.113.7, for=10.0.0.2;host=inner;proto=http"], "203.0.113.7", "inner", "http"),
        // Hidden, but the proxy says what it was asked.
        (["for=192.0.2.1, for=unknown;host=hub.example"], "10.0.0.1:5000", "hub.example", nil),
        (["for=192.0.2.1;host=evil, for=_x"], "10.0.0.1:5000", nil, nil),
        (["for=192.0.2.1;host=evil, host=hub.example"], "10.0.0.1:5000", "hub.example", nil),
        // What cannot be read ends it.
        (["for=192.0.2.1, for=203.0.113.7;for=203.0.113.8"], "10.0.0.1:5000", nil, nil),
        (["for=192.0.2.1, for=\"203.0.113.7"], "10.0.0.1:5000", nil, nil),
        (["for=192.0.2.1, for = 203.0.113.7"], "10.0.0.1:5000", nil, nil),
        (["for=192.0.2.1,"], "10.0.0.1:5000", nil, nil),
        (["for=192.0.2.1, for=203.0.113.7;host=a/b;proto=ftp"], "203.0.113.7", nil, nil),
    ])
    func `Forwarded tells the same, and what was asked for`(
        fields: [String],
        client: String,
        host: String?,
        scheme: String?
    ) throws {
        let request = try seen(fields.map { ("Forwarded", $0) })
        #expect(request.remoteAddress == client)
        #expect(request.forwardedHost == host)
        #expect(request.forwardedScheme == scheme)
    }

    @Test func `the nearest proxy tells host and scheme`() throws {
        let request = try seen([
            ("X-Forwarded-Host", "localhost, Hub.Example:443"), ("X-Forwarded-Proto", "http"),
            ("x-forwarded-proto", "https"),
        ])
        #expect(request.remoteAddress == "10.0.0.1:5000")
        #expect(request.forwardedHost == "hub.example:443")
        #expect(request.forwardedScheme == "https")
        #expect(try seen([("X-Forwarded-Host", "localhost, "), ("X-Forwarded-Proto", "gopher")]).forwardedHost == nil)
    }

    @Test func `of both kinds only that counts in which they agree`() throws {
        let same = try seen([
            ("Forwarded", "for=\"203.0.113.7:1\";host=hub.example;proto=https"), ("X-Forwarded-For", "203.0.113.7"),
            ("X-Forwarded-Host", "hub.example"), ("X-Forwarded-Proto", "http"),
        ])
        #expect(same.remoteAddress == "203.0.113.7:1")
        #expect(same.forwardedHost == "hub.example")
        #expect(same.forwardedScheme == nil)
        // A client that knows its own address adds what the proxy does not write.
        let more = try seen([
            ("Forwarded", "for=203.0.113.7;host=localhost;proto=https"), ("X-Forwarded-For", "203.0.113.7"),
        ])
        #expect(more.remoteAddress == "203.0.113.7")
        #expect(more.forwardedHost == nil && more.forwardedScheme == nil)
        for forged in ["for=192.0.2.1", "for=_x", "\"", ""] {
            let request = try seen([("Forwarded", forged), ("X-Forwarded-For", "203.0.113.7")])
            #expect(request.remoteAddress == "10.0.0.1:5000")
        }
    }

    @Test(arguments: ["192.0.2.1:5000", "11.0.0.1:1", "[fd01::1]:1", "[::1]:1", "127.0.0.1:1"])
    func `who is no trusted proxy is not believed`(peer: String) throws {
        let request = try seen(
            [
                ("Forwarded", "for=203.0.113.7;host=hub.example;proto=https"), ("X-Forwarded-For", "203.0.113.7"),
                ("X-Forwarded-Host", "hub.example"), ("X-Forwarded-Proto", "https"),
            ],
            from: peer
        )
        #expect(request.remoteAddress == peer)
        #expect(request.forwardedHost == nil && request.forwardedScheme == nil)
    }

    @Test(arguments: ["[fd00::7]:1", "[::ffff:10.0.0.1]:1", "10.255.255.255:1"])
    func `an address is trusted however it is written`(peer: String) throws {
        #expect(try seen([("X-Forwarded-For", "203.0.113.7")], from: peer).remoteAddress == "203.0.113.7")
    }

    @Test func `ten thousand entries are read in one pass`() throws {
        let entries = [String](repeating: "10.0.0.2", count: 10_000).joined(separator: ", ")
        let quotes = String(repeating: "\\\"", count: 10_000)
        let start = ContinuousClock.now
        #expect(try seen([("X-Forwarded-For", "203.0.113.7, \(entries)")]).remoteAddress == "203.0.113.7")
        let elements = entries.replacing("10", with: "for=10")
        #expect(try seen([("Forwarded", "for=203.0.113.7, \(elements)")]).remoteAddress == "203.0.113.7")
        #expect(try seen([("Forwarded", "\(quotes), for=203.0.113.7")]).remoteAddress == "203.0.113.7")
        #expect(ContinuousClock.now - start < .seconds(5))
    }

    /// The promise itself: proxies that add to what they were given, whatever that was.
    @Test func `whatever a client sends, it is who came to the first proxy`() {
        search(cases: 20_000) { random in
            let isStandard = random.chance(2)
            let client = random.one(of: ["203.0.113.7", "2001:db8::7"])
            let shown = client.contains(":") ? "[\(client)]" : client
            let name = isStandard ? "Forwarded" : "X-Forwarded-For"
            let forged =
                isStandard
                ? "for=192.0.2.1;host=localhost, for=\"10.0.0.2\"" : "192.0.2.1, 10.0.0.2"
            var fields = (0..<random.number(0...2)).map { _ in
                (name, random.mutatedText(forged).filter { !$0.isNewline && $0 != "\0" })
            }
            var sender = client
            var hops = 0
            for proxy in ["10.0.0.4", "fd00::4", "10.0.0.1"].suffix(random.number(1...3)) {
                let node = sender.contains(":") ? "[\(sender)]" : sender
                let told = isStandard ? "for=\"\(node)\";host=\"h\(hops).example\"" : sender
                if fields.isEmpty || random.chance(3) {
                    fields.append((name, told))
                } else {
                    fields[fields.count - 1].1 += ", \(told)"
                }
                (sender, hops) = (proxy, hops + 1)
            }
            guard let request = try? seen(fields, from: "10.0.0.1:5000") else { return "\(fields) is no request" }
            guard request.remoteAddress == shown else {
                return "\(fields) is from \(request.remoteAddress ?? "nobody")"
            }
            guard request.forwardedHost == (isStandard ? "h0.example" : nil) else {
                return "\(fields) asks for \(request.forwardedHost ?? "nothing")"
            }
            return nil
        }
    }

    /// A proxy that writes one kind and passes the other on.
    @Test func `what a client sends of the other kind gives it no other address`() {
        search(cases: 20_000) { random in
            let forged = random.mutatedText("for=192.0.2.1;host=localhost").filter { !$0.isNewline && $0 != "\0" }
            guard
                let request = try? seen([
                    ("Forwarded", forged), ("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-Host", "hub.example"),
                ])
            else { return "\(forged) is no request" }
            guard ["203.0.113.7", "10.0.0.1:5000"].contains(request.remoteAddress) else {
                return "\(forged) is from \(request.remoteAddress ?? "nobody")"
            }
            return [nil, "hub.example"].contains(request.forwardedHost) ? nil : "\(forged) changes the host"
        }
    }
}
