import EventLog
import Foundation
import Testing

@testable import Access

@Suite struct NewKeyTests {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func key(_ name: String = "ci", expires: Timestamp? = nil) throws -> NewKey {
        NewKey(name: name, grant: Grant(publish: [try TopicPattern("builds.**")]), expires: expires)
    }

    private func mode(_ name: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: folder.url(name).path)[.posixPermissions] as? Int)
    }

    @Test func `a key has a prefix and 32 characters of base62, and is never the same`() throws {
        var texts: Set<String> = []
        for _ in 0..<1_000 {
            let text = try key().text
            #expect(text.count == 36 && text.hasPrefix("clk_"))
            #expect(text.dropFirst(4).allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
            texts.insert(text)
        }
        #expect(texts.count == 1_000)
        #expect(Set(texts.joined()).count == 63)
    }

    @Test func `a file is made, and its key counts`() throws {
        let key = try key(expires: Timestamp(rfc3339: "2126-01-01T00:00:00Z"))
        try key.append(to: folder.url("c.json"))
        let credentials = try Credentials(file: folder.url("c.json"), fetcher: nil, logger: .silent)
        let principal = try #require(credentials.known(key.text))
        #expect(principal.name == "ci")
        #expect(principal.expires?.rfc3339 == "2126-01-01T00:00:00.000Z")
        #expect(principal.grant.allows(.publish, on: try Topic("builds.7")))
        #expect(try mode("c.json") == 0o600)
        #expect(try !folder.text("c.json").contains(key.text))
    }

    @Test(arguments: [
        #"{}"#, #" { } "#, #"{"keys":[]}"#, #"{"keys": [ ] , "anonymous":{}}"#, #"{"anonymous": {"subscribe": ["a"]}}"#,
        #"{"keys": [{"name": "a", "sha256": "\#(String(repeating: "0", count: 64))"}]}"#,
        """
        {
            "anonymous" : { "subscribe": [ "public.**" ] },
            "keys"      : [
                { "name": "}],", "sha256": "\(String(repeating: "A", count: 64))", "publish": ["\\u0061.*"] }

            ]
        }


        """,
    ])
    func `the rest of a file stays as it is`(text: String) throws {
        try folder.write(text, to: "c.json")
        let keys = try [key("one"), key("two \"\\ \u{E9}")]
        for key in keys { try key.append(to: folder.url("c.json")) }
        let after = try folder.text("c.json")
        // Taking the entries out again leaves every character that was there before, in its order.
        var rest = after
        for key in keys {
            let range = try #require(rest.range(of: key.entryText))
            rest.removeSubrange(range)
        }
        var left = rest.unicodeScalars.makeIterator()
        for scalar in text.unicodeScalars {
            while let next = left.next(), next != scalar {
                #expect(" \n,\"keys:[]".unicodeScalars.contains(next), "\(after)")
            }
        }
        let credentials = try Credentials(file: folder.url("c.json"), fetcher: nil, logger: .silent)
        for key in keys { #expect(credentials.known(key.text) != nil, "\(after)") }
    }

    @Test(arguments: ["", "[]", "{", #"{"key": []}"#, #"{"keys": {}}"#, #"{"keys": [{"name": "a"}]}"#, "\u{0}"])
    func `what is no credentials file is left alone`(text: String) throws {
        try folder.write(text, to: "c.json")
        #expect(throws: CredentialsError.self) { try key().append(to: folder.url("c.json")) }
        #expect(try folder.text("c.json") == text)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["c.json"])
    }

    @Test func `a symbolic link stays one`() throws {
        try folder.write("{}", to: "real.json")
        let link = folder.url("c.json")
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder.url("real.json"))
        try key().append(to: link)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path).hasSuffix("real.json"))
        #expect(try folder.text("real.json").contains("builds"))
    }

    @Test func `keys that are added at the same time are all there`() async throws {
        let keys = try (0..<16).map { try key("\($0)") }
        let file = folder.url("c.json")
        try await withThrowingTaskGroup { group in
            for key in keys { group.addTask { try key.append(to: file) } }
            try await group.waitForAll()
        }
        let credentials = try Credentials(file: file, fetcher: nil, logger: .silent)
        for key in keys { #expect(credentials.known(key.text) != nil) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["c.json"])
    }
}
