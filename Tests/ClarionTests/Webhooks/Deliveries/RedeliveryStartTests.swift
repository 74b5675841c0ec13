import Webhooks
import EventLog
import JSON
import MicroHTTP
import Testing

@testable import Clarion

@Suite struct RedeliveryStartTests {
    private func start(_ json: String) throws(Problem) -> RedeliveryStart {
        try RedeliveryStart(JSONValue(parsing: Array(json.utf8)) ?? .null, now: .now())
    }

    @Test func `an event is the first, a time or a duration is looked up, earliest is all`() async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let topic = try Topic("a")
        let events = try await log.append((0..<3).map { _ in EventDraft(topic: topic, data: []) }).events
        for event in events {
            let place = try await start(#"{"since": "\#(event.id)"}"#).position(in: log, for: [])
            #expect(place.rawValue == event.position.rawValue - 1)
        }
        #expect(try await start(#"{"since": "earliest"}"#).position(in: log, for: []) == .start)
        #expect(try await start(#"{"since": "1h"}"#).position(in: log, for: []) == .start)
        #expect(try await start(#"{"since": "2100-01-01T00:00:00Z"}"#).position(in: log, for: []) == log.tail)
        await log.close()
    }

    @Test(arguments: [
        ("{}", "member-invalid"), (#"{"since": 1}"#, "member-invalid"), (#"{"since": "last"}"#, "since-invalid"),
        (#"{"since": "latest"}"#, "since-invalid"), (#"{"since": "soon"}"#, "since-invalid"),
        (#"{"since": "1h", "x": 1}"#, "member-unknown"), ("[]", "body-invalid"),
    ])
    func `anything else is refused`(json: String, code: String) {
        #expect { try start(json) } throws: { ($0 as? Problem)?.code == code }
    }

    @Test func `an event of another log, or to come, is refused`() async throws {
        let log = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let other = try SQLiteEventLog(at: .inMemory, durability: .memory)
        let event = try await log.append([EventDraft(topic: try Topic("a"), data: [])]).events[0]
        let others = [
            EventID(epoch: log.epoch, position: Position(event.position.rawValue + 1)),
            EventID(epoch: log.epoch, position: .start),
            EventID(epoch: other.epoch, position: event.position),
        ]
        for id in others {
            await #expect {
                _ = try await start(#"{"since": "\#(id)"}"#).position(in: log, for: [])
            } throws: { ($0 as? Problem)?.code == "since-invalid" }
        }
        await log.close()
        await other.close()
    }
}
