import Randomness
import Testing

@testable import MicroHTTP

@Suite struct TargetTests {
    @Test(arguments: UInt64(0)..<200) func `gives back the segments and parameters it was made of`(seed: UInt64) throws
    {
        var generator = SeededGenerator(seed: seed)
        let segments = (0..<Int.random(in: 0...5, using: &generator)).map { _ in generator.text(upTo: 10) }
        let parameters = (0..<Int.random(in: 0...5, using: &generator)).map { _ in
            (name: generator.text(upTo: 5), value: generator.text(upTo: 10))
        }
        var path = segments.map { "/" + $0.percentEncoded(using: &generator) }.joined()
        // One trailing slash names no segment of its own.
        if segments.last ?? "" == "" { path += "/" }
        let query = parameters.map {
            $0.name.percentEncoded(using: &generator) + "=" + $0.value.percentEncoded(using: &generator)
        }.joined(separator: "&")
        let target = try Target(path + (parameters.isEmpty ? "" : "?" + query))
        #expect(target.segments == segments)
        #expect(target.query.parameters.map(\.name) == parameters.map(\.name))
        #expect(target.query.parameters.map(\.value) == parameters.map(\.value))
    }

    @Test(arguments: UInt64(0)..<200) func `survives any bytes`(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("//??&&==##%%2fhttp://*+ \u{0}\r\n".utf8) + [0x80, 0xC3, 0xA4, 0xFF]
        let bytes = (0..<24).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
        do {
            let target = try Target(bytes: bytes)
            #expect(bytes.first.map { "/*hH".utf8.contains($0) } == true)
            #expect(target.segments.count <= bytes.count)
        } catch {
            #expect(error.code == "target-invalid")
            #expect(error.status == .badRequest)
        }
    }

    @Test(arguments: [
        ("/", []), ("/a", ["a"]), ("/a/", ["a"]), ("//", [""]), ("//a", ["", "a"]), ("/a//b", ["a", "", "b"]),
        ("/a%2Fb/c", ["a/b", "c"]), ("/a/./../b", ["a", ".", "..", "b"]), ("/%2e%2e", [".."]), ("/a+b", ["a+b"]),
        ("/k\u{E4}se", ["k\u{E4}se"]), ("/a?b/c", ["a"]), ("*", []),
        ("http://example.com", []), ("http://example.com/", []), ("HTTP://example.com:80/a/b", ["a", "b"]),
        ("https://[::1]:1/a?b", ["a"]), ("http://example.com?a=b", []), ("/x://y", ["x:", "", "y"]),
    ])
    func `splits before it decodes`(text: String, segments: [String]) throws {
        #expect(try Target(text).segments == segments)
    }

    @Test(arguments: [
        "", "a", "a/b", "?a", "#a", "example.com:443", "a?b=://c/d", "ftp://a/b", "http:///a", "http://", "http:/a",
        "**", "/a#b", "/a?b#c", "/a#", "https://u@[::1]:1/a", "http://a b/", "http://a:b/", "http://[::1/",
        "/a b", "/a\tb", "/a\u{7F}", "/a?b c", "/%", "/%zz", "/?%", "/?a=%FF", "/\u{0}",
    ])
    func `refuses other forms and malformed escapes`(text: String) {
        #expect(throws: Problem.self) { try Target(text) }
    }

    @Test func `refuses bytes that are not UTF-8`() {
        #expect(throws: Problem.self) { try Target(bytes: [UInt8(ascii: "/"), 0xFF]) }
    }

    private static let marks = String(repeating: "\u{345}\u{316}", count: 20)
    /// Longer than any name that is of marks alone.
    private static let padding = String(repeating: "a", count: 256)

    @Test(arguments: [
        ("/\(padding)\(marks)", "target-invalid"), ("/a/b?c=\(padding)\(marks)", "parameter-invalid"),
        ("/a?\(marks)", "parameter-invalid"), ("/?a=b&c\(marks)=d", "parameter-invalid"),
    ])
    func `refuses many marks in a row, which take long to compare`(text: String, code: String) throws {
        let problem = try #require(throws: Problem.self) { try Target(text) }
        #expect(problem.code == code)
        #expect(problem.status == .badRequest)
    }

    @Test func `takes marks as any language has them, and whatever is as short as a topic`() throws {
        let topic = "a" + String(repeating: "\u{345}", count: 127)
        #expect(try Target("/topics/\(topic)?topic=\(topic)").segments == ["topics", topic])
        let text = String(repeating: "a" + String(repeating: "\u{301}", count: 30), count: 20)
        #expect(try Target("/\(text)?a=\(text)").query["a"] == text)
    }

    @Test(arguments: [("/?a=1&topic=%FF", "topic"), ("/?b=%&a=%FF", "b"), ("/?%FF=a", nil), ("/%FF?a=b", nil)])
    func `names the parameter that cannot be decoded`(text: String, parameter: String?) throws {
        let problem = try #require(throws: Problem.self) { try Target(text) }
        #expect(problem.code == "target-invalid")
        #expect(problem.parameter == parameter)
    }
}

@Suite struct QueryTests {
    @Test func `keeps order and repetition, and decodes forms`() throws {
        let query = try Target("/?topic=a&topic=b+c&flag&empty=&=x&a=b=c&&%74opic=d").query
        #expect(query.values(of: "topic") == ["a", "b c", "d"])
        #expect(query["topic"] == "a")
        #expect(query["flag"] == "")
        #expect(query["empty"] == "")
        #expect(query[""] == "x")
        #expect(query["a"] == "b=c")
        #expect(query["absent"] == nil)
        #expect(query.parameters.count == 7)
    }
}
