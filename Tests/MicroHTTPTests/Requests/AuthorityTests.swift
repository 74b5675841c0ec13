@testable import MicroHTTP
import Randomness
import Testing

@Suite struct AuthorityTests {
    @Test(
        arguments: [
            ("a", "a", nil), ("a:80", "a", 80), ("example.com:", "example.com", nil), ("127.0.0.1:0", "127.0.0.1", 0),
            ("[::1]", "[::1]", nil), ("[::ffff:1.2.3.4]:65535", "[::ffff:1.2.3.4]", 65_535),
            ("a:000080", "a", 80), ("[1:2:3:4:5:6:7:8]", "[1:2:3:4:5:6:7:8]", nil), ("a:", "a", nil),
            ("a%41_~!$&'()*+,;=", "a%41_~!$&'()*+,;=", nil),
        ] as [(String, String, Int?)]
    )
    func `takes a host with or without a port`(text: String, host: String, port: Int?) throws {
        let authority = try #require(Authority(text))
        #expect(authority.host == host)
        #expect(authority.port == port)
    }

    @Test(arguments: [
        "", ":80", "a:b", "a:65536", "a:18446744073709551696", "a:-1", "a:+1", "a/b", "u@a", "a b", "a\u{0}", "[", "[]",
        "[::1",
        "[::1]a", "[g::]", "[:::::]", "[1]", "[1.2.3.4]", "[::1%25lo]", "[::1\u{0}]",
        "::1", "a:1:2", "a%4", "a%zz", "é", "a#b", "a?b", "\"a\"", "a,b:c",
    ])
    func `refuses anything else`(text: String) {
        #expect(Authority(text) == nil)
    }

    @Test func `never traps, and gives back what it took`() {
        var generator = SeededGenerator(seed: 7)
        let alphabet = Array("aZ09.-_~%4:[]@/?# \u{0}é".utf8)
        for _ in 0..<100_000 {
            let bytes = (0..<Int.random(in: 0...12, using: &generator)).map { _ in
                alphabet.randomElement(using: &generator) ?? 0
            }
            guard let authority = Authority(bytes[...]) else { continue }
            #expect(bytes.starts(with: authority.host.utf8))
            #expect((0...65_535).contains(authority.port ?? 0))
        }
    }
}
