import Webhooks
import JSON
import MicroHTTP
import Randomness
import Testing

@testable import Clarion
@testable import EventLog

@Suite struct PostedCloudEventTests {
    private let required: [String: JSONValue] = [
        "specversion": .string("1.0"), "id": .string("1"), "source": .string("/s"), "type": .string("t"),
    ]

    private func posted(_ members: [String: JSONValue]) throws -> PostedCloudEvent {
        try PostedCloudEvent.event(JSONValue.object(required.merging(members) { $1 }).bytes)
    }

    private func problem(_ body: () throws -> some Any) throws -> Problem {
        try #require(throws: Problem.self) { _ = try body() }
    }

    /// The event as it is given back, without what the hub adds.
    private func envelope(_ posted: PostedCloudEvent) throws -> JSONValue {
        let event = Event(
            id: EventID(epoch: try #require(LogEpoch("y7nqw0v9e7ff")), position: Position(5)),
            topic: try Topic("t"),
            type: posted.type,
            contentType: posted.contentType,
            data: posted.data,
            attributes: EventAttributes(cloudEvent: posted.context).stored,
            time: .now()
        )
        guard case .object(var members) = JSONValue(parsing: CloudEvent.json(event)) else { return .null }
        #expect(members.removeValue(forKey: "clarionid") == .string(event.id.description))
        #expect(members.removeValue(forKey: "clariontopic") == .string("t"))
        return .object(members)
    }

    @Test(arguments: ["specversion", "id", "source", "type"])
    func whatIsRequiredMustBeThereAndNotEmpty(name: String) throws {
        var members = required
        for value in [nil, .null, .string(""), .number(1)] as [JSONValue?] {
            members[name] = value
            let problem = try problem { try PostedCloudEvent.event(JSONValue.object(members).bytes) }
            #expect(problem.code == "cloudevent-invalid")
            #expect(problem.pointer == "/\(name)")
        }
    }

    @Test(
        arguments: [
            ("specversion", .string("0.3")), ("specversion", .string("1")), ("time", .string("yesterday")),
            ("time", .number(1)), ("subject", .string("")), ("dataschema", .bool(true)),
            ("dataschema", .string("/schema")), ("dataschema", .string("https://a/b c")), ("source", .string("a b")),
            ("source", .string("100%")),
            ("datacontenttype", .string("json")),
            ("datacontenttype", .string("/json")),
            ("datacontenttype", .string("a/" + String(repeating: "b", count: 254))),
            ("Upper", .string("a")), ("with_underscore", .string("a")), ("with-hyphen", .string("a")),
            ("é", .string("a")),
            ("", .string("a")), ("a/b", .string("a")), ("ext", .number(1.5)), ("ext", .number(2_147_483_648)),
            ("ext", .array([])), ("ext", .object([:])), ("ext", .string("a\u{1}")), ("ext", .string("\u{85}")),
            ("ext", .string("\u{FFFE}")), ("type", .string(String(repeating: "x", count: 129))),
            ("data_base64", .string("?")),
            ("data_base64", .number(1)),
        ] as [(String, JSONValue)]
    )
    func whatIsWrongIsRefusedByName(name: String, value: JSONValue) throws {
        let problem = try problem { try posted([name: value]) }
        #expect(problem.code == "cloudevent-invalid")
        #expect(problem.pointer == "/" + JSONMembers.escape(name))
        let batch = JSONValue.array([.object(required), .object(required.merging([name: value]) { $1 })]).bytes
        let second = try self.problem { try PostedCloudEvent.batch(batch, atMost: 10) }
        #expect(second.pointer == "/1/" + JSONMembers.escape(name))
    }

    @Test func extensionsAreStringsWholeNumbersAndBooleans() throws {
        let extensions: [String: JSONValue] = [
            "a": .string(""), "b": .number(-2_147_483_648), "c": .bool(false), "d1": .string("ü€😀"), "e": .null,
        ]
        var expected = extensions
        expected["e"] = nil
        expected["id"] = .string("1")
        expected["source"] = .string("/s")
        #expect(try posted(extensions).context.attributes == expected)
    }

    @Test func whatAnotherHubAddedIsNotKept() throws {
        let event = try posted(["clarionid": .string("x"), "clariontopic": .string("y")])
        #expect(event.context == (try posted([:])).context)
    }

    @Test func dataIsWhatItsContentTypeSays() throws {
        let json = try posted(["data": .string("a")])
        #expect(json.data == Array("\"a\"".utf8))
        #expect(json.contentType == "application/json")
        let text = try posted(["data": .string("a"), "datacontenttype": .string("text/plain")])
        #expect(text.data == Array("a".utf8))
        #expect(text.contentType == "text/plain")
        let binary = try posted(["data_base64": .string("/wA=")])
        #expect(binary.data == [0xFF, 0])
        #expect(binary.contentType == "application/octet-stream")
        #expect(try posted(["data_base64": .string("eA==")]).contentType == "text/plain; charset=utf-8")
        let none = try posted([:])
        #expect(none.data.isEmpty)
        #expect(none.contentType == nil)
        let wrong = try problem { try posted(["data": .array([]), "datacontenttype": .string("text/plain")]) }
        #expect(wrong.pointer == "/data")
        #expect(try problem { try posted(["data": .null, "data_base64": .string("")]) }.pointer == "/data_base64")
    }

    @Test func jsonDataIsKeptAsItWasWritten() throws {
        let body =
            #"{"specversion":"1.0","id":"1","source":"/s","type":"t","data": {"z": 1.50, "a":12345678901234567890}}"#
        #expect(
            try PostedCloudEvent.event(Array(body.utf8)).data == Array(#"{"z": 1.50, "a":12345678901234567890}"#.utf8)
        )
    }

    @Test func aBatchIsAnArrayOfEvents() throws {
        #expect(try PostedCloudEvent.batch(Array(" [ ] ".utf8), atMost: 1).isEmpty)
        let two = JSONValue.array([.object(required), .object(required)]).bytes
        #expect(try PostedCloudEvent.batch(two, atMost: 2).count == 2)
        #expect(try problem { try PostedCloudEvent.batch(two, atMost: 1) }.code == "batch-too-large")
        #expect(try problem { try PostedCloudEvent.batch(Array("{}".utf8), atMost: 1) }.code == "body-invalid")
        #expect(try problem { try PostedCloudEvent.batch(Array("[".utf8), atMost: 1) }.code == "body-invalid")
        let notEvents = try problem { try PostedCloudEvent.batch(Array("[1]".utf8), atMost: 1) }
        #expect(notEvents.pointer == "/0")
    }

    @Test func headersAreAttributes() throws {
        let fields = [
            ("specversion", "1.0"), ("id", "%31"), ("source", "/s"), ("type", "t"), ("ext", "%E2%82%AC%20a"),
        ].map { (name: $0.0, value: Array($0.1.utf8)[...]) }
        let event = try PostedCloudEvent(fields: fields, contentType: "application/json", body: Array("[1]".utf8))
        #expect(event.type == "t")
        #expect(event.context.text("id") == "1")
        #expect(event.context.text("ext") == "€ a")
        #expect(event.context.text("datacontenttype") == "application/json")
        #expect(event.context.dataForm == .json)

        let twice = try problem {
            try PostedCloudEvent(fields: fields + [(name: "id", value: [0x32])], contentType: nil, body: [])
        }
        #expect(twice.parameter == "ce-id")
        let misplaced = try problem {
            try PostedCloudEvent(
                fields: fields + [(name: "datacontenttype", value: [0x61])],
                contentType: nil,
                body: []
            )
        }
        #expect(misplaced.parameter == "ce-datacontenttype")
        let malformed = try problem {
            try PostedCloudEvent(fields: fields + [(name: "x", value: [0xC0, 0xA0])], contentType: nil, body: [])
        }
        #expect(malformed.parameter == "ce-x")
        let noType = try problem { try PostedCloudEvent(fields: fields, contentType: "json", body: []) }
        #expect(noType.parameter == "Content-Type")
        let missing = try problem { try PostedCloudEvent(fields: [fields[1]], contentType: nil, body: []) }
        #expect(missing.parameter == "ce-specversion")
    }

    @Test(
        arguments: [
            (nil, "", nil, .none), (nil, "[1]", "application/json", .json),
            (nil, "plain", "text/plain; charset=utf-8", .base64),
            ("application/json", "{", "application/json", .base64), ("a/b+json", "{}", "a/b+json", .json),
            ("text/csv", "a,b", "text/csv", .text),
            ("application/octet-stream", "abc", "application/octet-stream", .base64),
            ("application/x-www-form-urlencoded", "abc", "text/plain; charset=utf-8", .text),
        ] as [(String?, String, String?, CloudEventContext.DataForm)]
    )
    func aBodyIsWhatItsContentTypeSays(
        claimed: String?,
        body: String,
        stored: String?,
        form: CloudEventContext.DataForm
    ) throws {
        let fields = required.map { (name: $0.key, value: Array(($0.value.text ?? "").utf8)[...]) }
        let event = try PostedCloudEvent(fields: fields, contentType: claimed, body: Array(body.utf8))
        #expect(event.contentType == stored)
        #expect(event.context.dataForm == form)
        // What is given back says what is stored; without a claim none is added.
        #expect(event.context.text("datacontenttype") == (claimed == nil ? nil : stored))
    }

    @Test func theKeyIsMadeOfSourceAndID() throws {
        let one = try posted(["source": .string("a"), "id": .string("bc")]).key
        #expect(try posted(["source": .string("a"), "id": .string("bc"), "x": .bool(true)]).key == one)
        #expect(try posted(["source": .string("ab"), "id": .string("c")]).key != one)
        #expect(one.utf8.count == 65)
    }

    /// Whatever anyone sends must be taken or refused; reading past the end of it would end the process.
    @Test(arguments: 0..<200)
    func whatIsMangledIsReadOrRefused(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let event = #" {"specversion":"1.0","id":"\u0031","source":"/s","type":"t","data":[{"a":"}"}], "x":-1 }"#
        let whole = Array("[\(event),\(event)]".utf8)
        func check(_ problem: Problem) {
            #expect(["body-invalid", "cloudevent-invalid"].contains(problem.code), "seed \(seed)")
        }
        for _ in 0..<100 {
            var bytes = whole
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let index = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = whole.randomElement(using: &random)!
                default: bytes.removeSubrange(index...)
                }
            }
            for part in [bytes, Array(bytes.dropFirst().dropLast(event.utf8.count + 2))] {
                do throws(Problem) { _ = try PostedCloudEvent.batch(part, atMost: 3) } catch { check(error) }
                do throws(Problem) { _ = try PostedCloudEvent.event(part) } catch { check(error) }
                _ = try? JSONLines.values(of: part, atMost: 3)
                _ = CloudEventHeaderValue.decode(part[...])
            }
        }
    }

    @Test(arguments: 0..<200)
    func anEventIsGivenBackEqual(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet = Array("aZ09 /%\"\\é€😀")
        var members = required
        func text(_ random: inout SeededGenerator) -> JSONValue {
            .string("x" + random.text(of: alphabet, upTo: 12))
        }
        for name in ["id", "type"] { members[name] = text(&random) }
        for name in ["subject", "ext1", "ext2"] where Bool.random(using: &random) { members[name] = text(&random) }
        let reference = "x:%2F" + random.text(of: Array("a/é😀?#"), upTo: 12)
        for name in ["source", "dataschema"] { members[name] = .string(reference) }
        if Bool.random(using: &random) { members["time"] = .string("2026-11-20T23:19:00.123456789+01:00") }
        if Bool.random(using: &random) {
            members["ext3"] = .number(Double(Int32.random(in: .min ... .max, using: &random)))
        }
        if Bool.random(using: &random) { members["ext4"] = .bool(.random(using: &random)) }
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
            let json = random.json()
            let value: JSONValue = try #require(JSONValue(parsing: Array(json.utf8)))
            members["data"] = value
        case 1:
            members["data"] = text(&random)
            members["datacontenttype"] = .string("application/xml")
        case 2:
            members["data_base64"] = .string(["", "/wA=", "aGVsbG8="].randomElement(using: &random)!)
            if Bool.random(using: &random) { members["datacontenttype"] = .string("application/json") }
        default: break
        }
        let event = try posted(members)
        #expect(try envelope(event) == .object(members), "seed \(seed)")
    }
}
