import MicroHTTP
import Webhooks
import EventLog
import JSON
import Testing

@testable import Clarion

@Suite struct ObserverCensusTests {
    private final class Listener: HubObserver {
        let id: ObserverID
        let kind: ObserverKind
        let topics: [TopicPattern]
        let createdAt = Timestamp.now()

        init(_ kind: ObserverKind, _ topics: String...) throws {
            id = .generate(kind)
            self.kind = kind
            self.topics = try topics.map { try TopicPattern($0) }
        }

        func document() async throws(EventLogError) -> JSONValue { .null }
    }

    @Test func `an observer counts once for each topic that it hears, by name or by pattern`() throws {
        let census = ObserverCensus([
            try Listener(.stream, "a.b"), try Listener(.stream, "a.b"), try Listener(.stream, "a.*", "a.b", "**"),
            try Listener(.webhook, "a.**"), try Listener(.webhook, "c"), try Listener(.object, "*"),
            try Listener(.stream, "a.b", "c"), try Listener(.stream, "c", "a.b"),
        ])
        #expect(census.count(of: try Topic("a.b")) == [.stream: 5, .webhook: 1])
        #expect(census.count(of: try Topic("c")) == [.stream: 3, .webhook: 1, .object: 1])
        #expect(census.count(of: try Topic("a.b.c")) == [.stream: 1, .webhook: 1])
        #expect(ObserverCensus([]).count(of: try Topic("a")).isEmpty)
    }
}
