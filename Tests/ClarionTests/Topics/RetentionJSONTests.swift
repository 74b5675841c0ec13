import Webhooks
import EventLog
import JSON
import MicroHTTP
import Randomness
import Testing

@testable import Clarion

@Suite struct RetentionJSONTests {
    private func parse(_ json: String) throws -> Retention {
        try Retention(try #require(JSONValue(parsing: Array(json.utf8))), at: "retention")
    }

    @Test func `each bound may be there, null or missing`() throws {
        #expect(try parse("{}") == Retention())
        #expect(
            try parse(#"{"events": 1000, "age": "7d", "bytes": 1048576}"#)
                == Retention(events: 1_000, age: 604_800_000, bytes: 1_048_576)
        )
        #expect(try parse(#"{"events": null, "age": "1h30m"}"#) == Retention(age: 5_400_000))
    }

    @Test(arguments: [
        (#"{"events": 0}"#, "events"), (#"{"events": -1}"#, "events"), (#"{"events": 1.5}"#, "events"),
        (#"{"events": "5"}"#, "events"), (#"{"bytes": "1MB"}"#, "bytes"), (#"{"bytes": "0KiB"}"#, "bytes"),
        (#"{"bytes": "2PiB"}"#, "bytes"), (#"{"bytes": true}"#, "bytes"), (#"{"events": 1e13}"#, "events"),
        (#"{"bytes": 0}"#, "bytes"),
        (#"{"bytes": 1e16}"#, "bytes"), (#"{"age": 7}"#, "age"), (#"{"age": "999ms"}"#, "age"),
        (#"{"age": "seven"}"#, "age"), (#"{"age": ""}"#, "age"), (#"{"age": "36501d"}"#, "age"),
        (#"{"evnets": 5}"#, "evnets"),
    ])
    func `what is out of range or unknown is refused with its place`(json: String, member: String) {
        let problem = #expect(throws: Problem.self) { try parse(json) }
        #expect(problem?.pointer == "/retention/\(member)")
        #expect(problem?.code == (member == "evnets" ? "member-unknown" : "member-invalid"))
    }

    @Test(arguments: ["[]", "5", #""7d""#, "true"])
    func `what is no object is refused`(json: String) {
        let problem = #expect(throws: Problem.self) { try parse(json) }
        #expect(problem?.pointer == "/retention")
        #expect(problem?.code == "member-invalid")
    }

    @Test func `bounds are written as they are read`() throws {
        var random = SeededGenerator(seed: 3)
        for _ in 0..<200 {
            let retention = Retention(
                events: Bool.random(using: &random) ? .random(in: 1...1_000_000_000_000, using: &random) : nil,
                age: Bool.random(using: &random) ? .random(in: 1_000...3_153_600_000_000, using: &random) : nil,
                bytes: Bool.random(using: &random) ? .random(in: 1...1 << 50, using: &random) : nil
            )
            #expect(try Retention(retention.json, at: "retention") == retention)
        }
    }
}
