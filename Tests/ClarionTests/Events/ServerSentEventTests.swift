import Webhooks
import FoundationEssentials
import MicroHTTP
import Randomness
import Testing

@testable import Clarion
@testable import EventLog
@testable import MicroHTTP

@Suite struct ServerSentEventTests {
    private func event(_ data: [UInt8], type: String? = nil) throws -> Event {
        Event(
            id: EventID(epoch: try #require(LogEpoch("y7nqw0v9e7ff")), position: Position(5)),
            topic: try Topic("t"),
            type: type,
            contentType: nil,
            data: data,
            attributes: nil,
            time: .now()
        )
    }

    private func text(_ data: String, type: String? = nil) throws -> String {
        var bytes: [UInt8] = []
        ServerSentEvent.append(try event([]), type: type, data: Array(data.utf8), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func anEventHasItsIDItsTypeAndItsData() throws {
        let id = try event([]).id
        #expect(try text("hello", type: "greeting") == "id: \(id)\nevent: greeting\ndata: hello\n\n")
    }

    @Test func noDataIsOneEmptyLineSoThatItIsDispatched() throws {
        #expect(try text("").hasSuffix("\ndata: \n\n"))
    }

    @Test(arguments: [EventEnvelope.json, .cloudEvents])
    func inAnEnvelopeAnEventHasNoTypeOfItsOwn(format: EventEnvelope) throws {
        let event = try event(Array("{\"a\":\n1}".utf8), type: "greeting")
        let frame = EventFrames([event], format: format).whole.frame.text
        #expect(frame.hasPrefix("id: \(event.id)\ndata: {"))
        #expect(frame.hasSuffix("}\n\n"))
        #expect(frame.split(separator: "\n").count == 2)
    }

    @Test func whatIsNoEventEndsNoBlock() {
        #expect(String(decoding: ServerSentEvent.prelude, as: UTF8.self) == ": clarion\nretry: 3000\n")
        for frame in [ServerSentEvent.keepAlive, ServerSentEvent.goodbye()] {
            #expect(frame.text.hasSuffix("\n") && !frame.text.contains("\n\n"))
        }
    }

    @Test(arguments: ["a\nb", "a\rb", "a\r\nb"])
    func everyKindOfLineBreakEndsALine(data: String) throws {
        #expect(try text(data).hasSuffix("\ndata: a\ndata: b\n\n"))
    }

    @Test func bytesThatAreNotTextComeInBase64AfterAComment() throws {
        var bytes: [UInt8] = []
        ServerSentEvent.append(try event([]), type: nil, data: [0xFF, 0x00], to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.hasPrefix(": base64\nid: "))
        #expect(text.hasSuffix("\ndata: /wA=\n\n"))
    }

    /// Reads frames as WHATWG HTML section 9.2.6 says, and finds the posted lines again.
    @Test(arguments: 0..<200)
    func aParserFindsTheDataAgain(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array(" :\n\r\u{FEFF}aä\u{1F389}\0d")
        let data = String(
            (0..<Int.random(in: 0...40, using: &random)).map { _ in alphabet.randomElement(using: &random)! }
        )
        let frame = try text(data)
        #expect(frame.hasSuffix("\n\n"))
        let lines = frame.dropLast(2).unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
        let received = lines.dropFirst().map { String(String.UnicodeScalarView($0)) }
            .map { $0.hasPrefix("data: ") ? String($0.unicodeScalars.dropFirst(6)) : "not data: \($0)" }
        let expected = data.replacing("\r\n", with: "\n").unicodeScalars
            .split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r" }.map { String($0) }
        #expect(received == expected, "seed \(seed)")
    }

    @Test func aRunGivesTheBytesAfterAPosition() throws {
        let epoch = try event([]).id.epoch
        let events = try (1...3).map { number in
            Event(
                id: EventID(epoch: epoch, position: Position(number)),
                topic: try Topic("t"),
                type: nil,
                contentType: nil,
                data: Array("\(number)".utf8),
                attributes: nil,
                time: .now()
            )
        }
        let frames = EventFrames(events[...], format: .plain)
        #expect(frames.chunk(after: .start)?.count == frames.whole.count)
        #expect(frames.chunk(after: Position(2))?.count == frames.chunk(at: 2).count)
        #expect(frames.chunk(after: Position(3)) == nil)
        #expect((0..<3).reduce(0) { $0 + frames.chunk(at: $1).count } == frames.whole.count)
    }

    @Test func `streams that take little of a run share that, and do not keep the rest`() throws {
        let memory = ReaderMemory()
        let epoch = try event([]).id.epoch
        let events = try [100, 1_000_000, 100].enumerated().map { index, size in
            Event(
                id: EventID(epoch: epoch, position: Position(Int64(index + 1))),
                topic: try Topic("t"),
                data: [UInt8](repeating: 0x78, count: size),
                time: .now()
            )
        }
        var chunks: [Chunk] = []
        do {
            let frames = EventFrames(events[...], format: .plain, in: memory)
            for _ in 0..<100 { chunks += [frames.chunk(at: 0), try #require(frames.chunk(after: Position(2)))] }
            #expect(memory.usedBytes > 1_000_000)
        }
        #expect(memory.usedBytes < 1_000)
        chunks = []
        #expect(memory.usedBytes == 0)
    }
}

extension Frame {
    fileprivate var text: String { unsafe String(decoding: bytes, as: UTF8.self) }
}
