import Testing

@testable import Webhooks

@Suite("WebhookURL")
struct WebhookURLTests {
    @Test(
        "accepts http and https, and writes the URL as it will be dialled",
        arguments: [
            ("https://example.com", "https://example.com/", "example.com", 443),
            ("http://example.com:8080/a?b=c", "http://example.com:8080/a?b=c", "example.com", 8080),
            ("HTTPS://Example.COM/X#part", "https://example.com/X", "example.com", 443),
            ("http://[::1]:9000/", "http://[::1]:9000/", "[::1]", 9000),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example/", "xn--bcher-kva.example", 443),
            ("http://0x7f.1/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://0x7f.1./", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://127.0.0.1.:81/a?b#c", "http://127.0.0.1:81/a?b", "127.0.0.1", 81),
            ("http://2130706433./", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://127.1%2e/", "http://127.0.0.1/", "127.0.0.1", 80),
            ("http://example.com./x", "http://example.com/x", "example.com", 80),
            (
                "http://\(String(repeating: "a.", count: 126))a./", "http://\(String(repeating: "a.", count: 126))a/",
                String(repeating: "a.", count: 126) + "a", 80
            ),
            ("https://example.com/ü", "https://example.com/%c3%bc", "example.com", 443),
        ]
    )
    func accepts(text: String, description: String, host: String, port: Int) throws {
        let url = try WebhookURL(text, httpsOnly: false)
        #expect(url.description == description)
        #expect(url.host == host)
        #expect(url.port == port)
        #expect(try WebhookURL(url.description, httpsOnly: false) == url)
    }

    @Test(
        "refuses other schemes, user information, missing hosts, bad ports and garbage",
        arguments: [
            "", "example.com", "/hook", "ftp://example.com/", "file:///etc/passwd", "gopher://example.com",
            "javascript:1",
            "http://", "http:///x", "http://:80/", "https://user@example.com/", "https://user:pass@example.com/",
            "https://:pass@example.com/", "https://@example.com/", "http://example.com:0/", "http://example.com:65536/",
            "http://example.com:-1/", "http://example.com:22/", "http://example.com:25/", "http://example.com:6667/",
            "http://example.com:x/", "http://exa mple.com/", "http://example.com/\r\nX: y", "http://example.com/a b",
            "http://bücher.example/", "http://①②⑦.0.0.1/", "http://127。0。0。1/", "http://b%C3%BCcher.example/",
            "http://example.com../", "http://a..b/", "http://.a/", "http://./", "http://127.0.0.1../",
            "http://\(String(repeating: "a.", count: 126))ab/",
            "http://example.com\u{0}.evil.com/", "unix:///var/run/docker.sock",
            "https://example.com/" + String(repeating: "a", count: 8192),
        ]
    )
    func refuses(text: String) {
        #expect { try WebhookURL(text, httpsOnly: false) } throws: { ($0 as? WebhookError)?.code == .urlInvalid }
    }

    @Test("refuses http where only https is wanted")
    func httpsOnly() throws {
        #expect { try WebhookURL("http://example.com/", httpsOnly: true) } throws: { error in
            (error as? WebhookError)?.code == .urlInvalid
        }
        _ = try WebhookURL("https://example.com/", httpsOnly: true)
    }
}
