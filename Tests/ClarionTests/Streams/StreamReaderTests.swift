import EventLog
import MicroHTTP
import Testing

@testable import Clarion

@Suite(.serialized) struct StreamReaderTests {
    /// A page ends after so many events that were looked at, wanted or not: here behind the log's end at the stream's beginning,
    /// and before the one of now.
    @Test func aGapIsToldHoweverMuchIsPostedOnOtherTopics() async throws {
        try await withHub { hub in
            var readers = hub.readerMemory.holdNow(hub.readerMemory.limit)
            let client = try TestClient(port: hub.port)
            client.send(
                "GET /topics/a.*/events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                    + "Last-Event-ID: bogus\r\n\r\n"
            )
            try await eventually { client.received().contains("retry: ") }
            for _ in 0..<2 {
                let noise = EventDraft(topic: try Topic("noise"), data: [])
                _ = try await hub.post(Array(repeating: noise, count: 8_000))
            }
            withExtendedLifetime(readers) {}
            readers = nil
            try await eventually { client.received().contains("event: gap") }
        }
    }
}
