import MicroHTTP
import Webhooks
import Testing

@testable import Clarion
@testable import EventLog

/// What observers are told of a commit's deliveries.
@Suite struct CommittedRunTests {
    private final class Listener: Sendable {}

    /// A commit of events on topics in turn, with deliveries of all of them to "w", and of every third to "v".
    private func commit(_ count: Int64, topics: [String]) throws -> Commit {
        let topics = try topics.map { name throws(TopicError) in try Topic(name) }
        let epoch = LogEpoch(bits: 1)
        let events = (1...count).map { number in
            Event(
                id: EventID(epoch: epoch, position: Position(number)),
                topic: topics[Int(number) % topics.count],
                type: nil,
                contentType: nil,
                data: [],
                attributes: nil,
                time: .now(),
                origin: nil
            )
        }
        let deliveries = events.flatMap { event in
            let number = event.position.rawValue
            let first = CommittedDelivery(id: 2 * number, observer: "w", event: event.position)
            let second = CommittedDelivery(id: 2 * number + 1, observer: "v", event: event.position)
            return number % 3 == 0 ? [first, second] : [first]
        }
        return Commit(events: events, deliveries: deliveries)
    }

    private func runs(_ commit: Commit, of pattern: String) throws -> [EventFrames] {
        let broadcaster = TopicBroadcaster()
        let listener = Listener()
        let heard = Recorder<EventFrames>()
        let registrations = broadcaster.register(listener, for: [try TopicPattern(pattern)], format: .none) {
            heard.add($1)
        }
        broadcaster.notify(commit)
        withExtendedLifetime((listener, registrations)) {}
        return heard.all
    }

    @Test(arguments: [["a"], ["a", "b"], ["a", "a", "b"]])
    func `each run has the deliveries of its events, and all of them together each once`(topics: [String]) throws {
        let commit = try commit(100, topics: topics)
        for observer in ["w", "v", "nobody"] {
            var all: [Int64] = []
            for run in try runs(commit, of: "**") {
                let deliveries = try #require(run.deliveries(to: observer))
                #expect(deliveries.allSatisfy { delivery in run.events.contains { $0.position == delivery.event } })
                all += deliveries.map(\.id)
            }
            #expect(all == commit.deliveries?.filter { $0.observer == observer }.map(\.id))
        }
        let some = try runs(commit, of: "a").flatMap { $0.deliveries(to: "w") ?? [] }
        #expect(some.count == commit.events.count { $0.topic.name == "a" })
    }

    @Test func `a commit that does not name its deliveries leaves that to every run`() throws {
        let named = try commit(4_097, topics: ["a", "b"])
        let runs = try runs(Commit(events: named.events, deliveries: nil), of: "a")
        #expect(runs.count > 1_000 && runs.allSatisfy { $0.deliveries(to: "w") == nil })
    }
}
