import Testing

@testable import ClarionClient

/// Streams of bytes as anyone may send them (WHATWG HTML, section 9.2.6).
@Suite("The parser of event streams")
struct EventStreamParserTests {
    private typealias Message = EventStreamParser.Message

    private func messages(_ text: String, cutAt cuts: [Int] = [], most: Int = 1 << 20) throws -> [Message] {
        try messages(Array(text.utf8), cutAt: cuts, most: most)
    }

    private func messages(_ bytes: [UInt8], cutAt cuts: [Int] = [], most: Int = 1 << 20) throws -> [Message] {
        var parser = EventStreamParser(maximumBytes: most)
        var found: [Message] = []
        var start = 0
        for end in cuts.sorted() + [bytes.count] {
            found += try parser.take(Array(bytes[start..<end]))
            start = end
        }
        return found
    }

    private func message(_ data: String, id: String = "", type: String = "message") -> Message {
        Message(id: id, type: type, data: Array(data.utf8))
    }

    @Test(
        "events as the standard reads them",
        arguments: [
            ("data: a\n\n", ["a"]), ("data:a\n\n", ["a"]), ("data:  a\n\n", [" a"]), ("data\n\n", [""]),
            ("data\ndata\n\n", ["\n"]), ("data: a\ndata: b\n\n", ["a\nb"]), (": nothing\n\n", []), ("data: a\n", []),
            ("data: a", []), ("\n\n\n", []), ("event: x\n\n", []), ("Data: a\n\n", []), ("data : a\n\n", []),
            ("data: a: b\n\n", ["a: b"]), ("unknown: a\ndata: b\n\n", ["b"]), ("data: ü→\n\n", ["ü→"]),
            ("\u{FEFF}data: a\n\n", ["a"]), ("\u{FEFF}\u{FEFF}data: a\n\n", []),
            ("data: a\n\n\u{FEFF}data: b\n\n", ["a"]),
        ]
    )
    func standard(text: String, data: [String]) throws {
        #expect(try messages(text).map { String(decoding: $0.data, as: UTF8.self) } == data)
    }

    @Test("an id stays until there is another, and types do not")
    func ids() throws {
        let text = "id: 1\nevent: x\ndata: a\n\ndata: b\n\nid\ndata: c\n\nid: 2\n\ndata: d\n\nid: 3\0\ndata: e\n\n"
        #expect(
            try messages(text) == [
                message("a", id: "1", type: "x"), message("b", id: "1"), message("c"), message("d", id: "2"),
                message("e", id: "2"),
            ]
        )
    }

    @Test(
        "how long to wait is a number",
        arguments: [
            ("retry: 10\n", 10), ("retry: 10a\n", nil), ("retry:\n", nil), ("retry: -1\n", nil), ("retry: 1.5\n", nil),
            ("retry: 99999999999999999999\n", Int64.max), ("retry: 1\nretry: x\n", 1),
        ] as [(String, Int64?)]
    )
    func retry(text: String, milliseconds: Int64?) throws {
        var parser = EventStreamParser(maximumBytes: 100)
        _ = try parser.take(Array(text.utf8))
        #expect(parser.retry == milliseconds)
    }

    /// What is said with each kind of line end, and with all of them mixed.
    private static let streams =
        ["\n", "\r", "\r\n"].map { end in
            "\u{FEFF}: hi\n\nretry: 5\nid: a-1\nevent: t\ndata: one\ndata:\ndata: two\n\n\ndata: ünï\n\nid: a-2\ndata: x\n\n"
                .replacing("\n", with: end)
        } + ["id: 1\r\ndata: a\rdata: b\n\r\ndata: c\r\r\r\ndata: d\n\n"]

    @Test("it does not matter where the bytes are cut", arguments: streams)
    func cuts(text: String) throws {
        let bytes = Array(text.utf8)
        let whole = try messages(bytes)
        #expect(whole.count == 3)
        for first in 0...bytes.count {
            #expect(try messages(bytes, cutAt: [first]) == whole, "cut at \(first)")
            for second in first...bytes.count {
                #expect(try messages(bytes, cutAt: [first, second]) == whole, "cut at \(first) and \(second)")
            }
        }
        #expect(try messages(bytes, cutAt: Array(0...bytes.count)) == whole, "byte by byte")
    }

    @Test("all kinds of line ends say the same")
    func lineEnds() throws {
        let read = try Self.streams.prefix(3).map { try messages($0) }
        #expect(read[0] == read[1] && read[1] == read[2])
    }

    @Test("random bytes, however they are cut, give the same, and end nothing")
    func randomBytes() throws {
        var generator = SystemRandomNumberGenerator()
        let alphabet = Array("\n\n\r\r: dataideventry0\u{FEFF}\0é".utf8)
        for _ in 0..<300 {
            let bytes = (0..<Int.random(in: 0...200)).map { _ in alphabet.randomElement(using: &generator) ?? 0 }
            let whole = try messages(bytes)
            let cuts = (0..<5).map { _ in Int.random(in: 0...bytes.count) }
            #expect(try messages(bytes, cutAt: cuts) == whole, "\(bytes) cut at \(cuts)")
        }
    }

    @Test("no more is held than one event may have, in one line or many, in one piece or many")
    func bound() throws {
        let line = Array("data: 0123456789\n".utf8)
        for piece in [Array(repeating: UInt8(ascii: "x"), count: 200), Array(repeatElement(line, count: 20).joined())] {
            #expect(throws: ClientError.self) { try messages(piece, most: 100) }
            #expect(throws: ClientError.self) { try messages(piece, cutAt: Array(0...piece.count), most: 100) }
        }
        // Each is as large as may be, and none is held when it has ended.
        let many = Array(
            repeatElement(Array("data: \(String(repeating: "x", count: 90))\n\n".utf8), count: 50).joined()
        )
        #expect(try messages(many, most: 100).count == 50)
        #expect(try messages(many, cutAt: Array(0...many.count), most: 100).count == 50)
    }
}
