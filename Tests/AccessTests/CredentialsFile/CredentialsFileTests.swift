import EventLog
import Testing

@testable import Access

@Suite struct CredentialsFileTests {
    private let folder: Folder
    private static let hash = String(repeating: "0", count: 64)

    init() throws { folder = try Folder() }

    private func file(_ text: String) throws -> CredentialsFile {
        try CredentialsFile(Array(text.utf8), folder: folder.path)
    }

    @Test func `the example of the documentation is read`() throws {
        try folder.writeSecret()
        let file = try file(
            """
            { "keys": [ { "name": "ci", "sha256": "\(Self.hash)", "publish": ["builds.**"], "subscribe": ["builds.**"], \
            "manage": [], "expires": "2027-01-01T00:00:00Z" } ],
              "jwt":  [ { "issuer": "https://id.example.com", "audience": "clarion", \
            "algorithms": ["RS256", "ES256", "EdDSA"], "jwks": "https://id.example.com/jwks.json" },
                        { "algorithms": ["HS256"], "secretFile": "hmac.key" } ],
              "anonymous": { "subscribe": ["public.**"] } }
            """
        )
        #expect(file.keys.map(\.name) == ["ci"])
        #expect(file.keys.first?.expires == Timestamp(rfc3339: "2027-01-01T00:00:00Z"))
        #expect(file.issuers.map(\.rules.algorithms) == [[.rs256, .es256, .edDSA], [.hs256]])
        #expect(file.issuers.map(\.rules.requiresExpiry) == [true, true])
        #expect(file.issuers.last?.secret?.bytes == Array(0..<64))
        #expect(file.anonymous.allows(.subscribe, on: try Topic("public.a")))
        #expect(file.remarks == [])
    }

    @Test func `an empty object is a file in which nobody may do anything`() throws {
        #expect(try file("{}").anonymous == .nothing)
    }

    /// What stands for longer texts in the faults below.
    private static let abbreviations = [
        "KEY": #""name": "a", "sha256": "\#(hash)""#, "HASH": #""sha256": "\#(hash)""#,
        "URL": #""jwks": "https://a/b""#, "RS}": #""algorithms": ["RS256"]}"#, "RS,": #""algorithms": ["RS256"],"#,
        "HS}": #""algorithms": ["HS256"]}"#,
    ]

    /// Each fault is told with the path of its member, and words about what to do.
    @Test(arguments: [
        (#"[]"#, "It must be an object"),
        (#""#, "is not valid JSON (line 1)"),
        (#"{"keys": [],}"#, "is not valid JSON (line 1)"),
        (#"{"keys": [], "keys": []}"#, "two members of one name"),
        (#"{"key": []}"#, #"key: There is no such member. Did you mean "keys"?"#),
        (#"{"jwts": []}"#, #"jwts: There is no such member. Did you mean "jwt"?"#),
        (#"{"keys": {}}"#, "keys: It must be a list."),
        (#"{"keys": null}"#, "keys: It must be a list."),
        (#"{"keys": [7]}"#, "keys[0]: It must be an object"),
        (#"{"keys": [{HASH}]}"#, "keys[0].name: It is missing"),
        (#"{"keys": [{"name": "", HASH}]}"#, "keys[0].name: It must be a text, not empty."),
        (#"{"keys": [{"name": "a\nb", HASH}]}"#, "keys[0].name: It must have at most 255 bytes"),
        (#"{"keys": [{"name": "a"}]}"#, "keys[0].sha256: It is missing"),
        (#"{"keys": [{"name": "a", "sha256": "clk_0"}]}"#, "keys[0].sha256: It must be 64 hexadecimal digits"),
        (#"{"keys": [{"name": "a", "sha256": "\#(sha256(""))"}]}"#, "sha256: It is the SHA-256 of an empty text"),
        (#"{"keys": [{KEY}, {"name": "b", HASH}]}"#, "keys[1].sha256: It is that of keys[0]"),
        (#"{"keys": [{KEY, "publish": "b"}]}"#, "keys[0].publish: It must be a list."),
        (#"{"keys": [{KEY, "publish": ["b", 7]}]}"#, "keys[0].publish[1]: It must be a text."),
        (#"{"keys": [{KEY, "manage": ["a*"]}]}"#, "keys[0].manage[0]: A pattern of topics"),
        (#"{"keys": [{KEY, "publsh": []}]}"#, #"Did you mean "publish"?"#),
        (#"{"keys": [{KEY, "expires": 7}]}"#, "keys[0].expires: It must be a text"),
        (#"{"keys": [{KEY, "expires": "soon"}]}"#, "keys[0].expires: It must be a time"),
        (#"{"keys": [{KEY, "expires": "2027-02-30T00:00:00Z"}]}"#, "keys[0].expires: It must be a time"),
        (#"{"anonymous": []}"#, "anonymous: It must be an object"),
        (#"{"anonymous": {"expires": "2027-01-01T00:00:00Z"}}"#, "anonymous.expires: There is no such member."),
        (#"{"jwt": [{}]}"#, "jwt[0]: It has no keys"),
        (#"{"jwt": [{URL}]}"#, "jwt[0].algorithms: It must be a list"),
        (#"{"jwt": [{URL, "algorithms": []}]}"#, "jwt[0].algorithms: It must be a list"),
        (#"{"jwt": [{URL, "algorithms": ["none"]}]}"#, "jwt[0].algorithms[0]: It must be one of RS256"),
        (#"{"jwt": [{URL, "algorithms": ["rs256"]}]}"#, "jwt[0].algorithms[0]: It must be one of"),
        (#"{"jwt": [{URL, RS, "issuer": ""}]}"#, "jwt[0].issuer: It must be a text, not"),
        (#"{"jwt": [{URL, RS, "issuer": null}]}"#, "jwt[0].issuer: It must be a text"),
        (#"{"jwt": [{URL, RS, "audience": []}]}"#, "jwt[0].audience: It must be a text"),
        (#"{"jwt": [{URL, RS, "requireExpiry": 0}]}"#, "jwt[0].requireExpiry: It must be"),
        (#"{"jwt": [{"jwks": "jwks.json", RS}]}"#, "jwt[0].jwks: It must be an https:"),
        (#"{"jwt": [{"jwks": "ftp://a/b", RS}]}"#, "jwt[0].jwks: It must be an https:"),
        (#"{"jwt": [{"jwks": "https://", RS}]}"#, "jwt[0].jwks: It must be an https:"),
        (#"{"jwt": [{"jwks": "https://u:p@a/b", RS}]}"#, "jwt[0].jwks: It must have no user"),
        (#"{"jwt": [{"jwks": "https://u@a/b", RS}]}"#, "jwt[0].jwks: It must have no user"),
        (#"{"jwt": [{"jwks": "https://:p@a/b", RS}]}"#, "jwt[0].jwks: It must have no user"),
        (#"{"jwt": [{"jwks": "https://a/b#c", RS}]}"#, "jwt[0].jwks: It must have no user"),
        (#"{"jwt": [{"jwks": "file://other/b", RS}]}"#, "jwt[0].jwks: A file: URL must name"),
        (#"{"jwt": [{"secretFile": "none.key", HS}]}"#, "jwt[0].secretFile: There is no such file."),
        (#"{"jwt": [{"secretFile": ".", HS}]}"#, "jwt[0].secretFile: It is not a file."),
        (#"{"jwt": [{"secretFile": "short.key", HS}]}"#, "jwt[0].secretFile: It holds 31 bytes"),
        (#"{"jwt": [{"secretFile": "hex.key", HS}]}"#, "jwt[0].secretFile: It must hold a key in base64"),
        (#"{"jwt": [{URL, RS}, {URL, RS}]}"#, "jwt[1]: It says the same as jwt[0]"),
    ])
    func `faults are told with their place`(text: String, words: String) throws {
        try folder.writeSecret(Array(0..<31), to: "short.key")
        try folder.write("not base64!", to: "hex.key")
        let text = Self.abbreviations.reduce(text) { $0.replacing($1.key, with: $1.value) }
        #expect {
            try file(text)
        } throws: { error in
            let said = (error as? MemberFault)?.description ?? "\(error)"
            #expect(said.contains(words))
            return true
        }
    }

    @Test func `what can be meant but does nothing is remarked`() throws {
        let file = try file(#"{"jwt": [{"jwks": "https://a/b", "algorithms": ["RS256", "HS256"]}]}"#)
        #expect(file.remarks.count == 1 && file.remarks.first?.contains("HS256") == true)
    }

    @Test func `a secret may have several lines, and lies beside the file`() throws {
        try folder.write("AAAA\r\n" + String(repeating: "AAAA\n \t", count: 11), to: "hmac.key")
        let file = try file(#"{"jwt": [{"secretFile": "./hmac.key", "algorithms": ["HS256"]}]}"#)
        #expect(file.issuers.first?.secret?.bytes == [UInt8](repeating: 0, count: 36))
    }

    @Test(arguments: [
        ("file:keys.json", "F/keys.json"), ("file:///a/keys.json", "/a/keys.json"),
        ("file:/a/k%20s.json", "/a/k s.json"), ("file://localhost/a", "/a"), ("FILE:../k", "F/../k"),
    ])
    func `file URLs name files, relative ones beside the file`(url: String, path: String) throws {
        #expect(try KeySetLocation(url, relativeTo: "F") == .file(path))
    }
}
