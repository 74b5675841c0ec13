import Testing

@testable import Webhooks

@Suite("CustomHeader")
struct CustomHeaderTests {
    @Test(
        "accepts tokens and visible ASCII",
        arguments: [
            ("X-Team", "blue"), ("Authorization", "Bearer abc.def"), ("x!#$%&'*+-.^_`|~9", "~ !"),
            ("Accept", "*/*"), ("X", String(repeating: "a", count: 4096)),
        ]
    )
    func accepts(name: String, value: String) throws {
        let header = try CustomHeader(name: name, value: value)
        #expect(header.name == name)
        #expect(header.value == value)
    }

    @Test(
        "refuses malformed and reserved ones",
        arguments: [
            ("", "a"), ("X Team", "a"), ("X:", "a"), ("X\r\nY", "a"), ("Ü", "a"), ("X\u{0}", "a"),
            ("X", ""), ("X", " a"), ("X", "a "), ("X", "a\r\nY: b"), ("X", "a\u{0}"), ("X", "a\tb"), ("X", "ü"),
            ("X", String(repeating: "a", count: 4097)), ("Host", "a"), ("host", "a"), ("Content-Type", "a"),
            ("content-anything", "a"), ("Connection", "close"), ("Transfer-Encoding", "chunked"),
            ("Webhook-Id", "a"), ("WEBHOOK-SIGNATURE", "a"), ("ce-id", "a"), ("Clarion-Topic", "a"),
            ("Expect", "100-continue"), ("TE", "trailers"), ("Upgrade", "h2c"),
            ("User-Agent", "a"), ("user-agent", "a"),
        ]
    )
    func refuses(name: String, value: String) {
        #expect { try CustomHeader(name: name, value: value) } throws: { ($0 as? WebhookError)?.code == .headerInvalid }
    }

    @Test("shows no credential when printed", arguments: ["AUTHORIZATION", "Proxy-Authorization", "cookie"])
    func redacts(name: String) throws {
        let header = try CustomHeader(name: name, value: "Bearer abc")
        #expect(header.isSensitive)
        #expect(!"\(header)".contains("abc"))
        #expect(try CustomHeader(name: "X-Team", value: "blue").description == "X-Team: blue")
    }
}
