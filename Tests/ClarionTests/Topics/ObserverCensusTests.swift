import EventLog
import JSON
import Locking
@testable import MicroHTTP
import Randomness
import Testing

@testable import Clarion

@Suite struct ObserverCensusTests {
    private final class Listener: HubObserver {
        let id: ObserverID
        let kind: ObserverKind
        let topics: [TopicPattern]
        let createdAt = Timestamp.now()
        private let listing = Lock<ObserverDirectory.Listing?>(nil)

        init(_ kind: ObserverKind, _ topics: String..., id: ObserverID? = nil, in directory: ObserverDirectory) throws {
            self.id = id ?? .generate(kind)
            self.kind = kind
            self.topics = try topics.map { try TopicPattern($0) }
            listing.withLock { $0 = directory.add(self) }
        }

        func document() async throws(EventLogError) -> JSONValue { .null }
    }

    private let directory = ObserverDirectory()

    private func count(of topic: String) throws -> [ObserverKind: Int] {
        try #require(directory.counts(of: [try Topic(topic)]).first)
    }

    @Test func `an observer counts once for each topic that it hears, by name or by pattern`() throws {
        var listeners = [
            try Listener(.stream, "a.b", in: directory), try Listener(.stream, "a.b", in: directory),
            try Listener(.stream, "a.*", "a.b", "**", in: directory), try Listener(.webhook, "a.**", in: directory),
            try Listener(.webhook, "c", in: directory), try Listener(.object, "*", in: directory),
            try Listener(.stream, "a.b", "c", in: directory), try Listener(.stream, "c", "a.b", in: directory),
        ]
        #expect(try count(of: "a.b") == [.stream: 5, .webhook: 1])
        #expect(try count(of: "c") == [.stream: 3, .webhook: 1, .object: 1])
        #expect(try count(of: "a.b.c") == [.stream: 1, .webhook: 1])
        let topics = try ["a.b", "c", "a.b"].map { try Topic($0) }
        #expect(directory.counts(of: topics).map { $0[.stream] } == [5, 3, 5])
        #expect(directory.listed(of: try TopicPattern("a.b")).map(\.id).count == 5)
        #expect(directory.listed(of: try TopicPattern("a.*")).map(\.id) == [listeners[2].id])
        let only = directory.listed(ofNothingBut: try TopicPattern("a.b"))
        #expect(Set(only.map(\.id)) == Set(listeners[..<2].map(\.id)))
        listeners = []
        #expect(try count(of: "a.b").isEmpty)
        #expect(try count(of: "c").isEmpty)
        #expect(directory.listed(of: try TopicPattern("a.b")).isEmpty)
    }

    /// A webhook that was replaced may be held on to, by a test of its endpoint.
    @Test func `an observer that was displaced does not count, and takes nothing with it when it goes`() throws {
        let id = try ObserverID("w")
        var former: Listener? = try Listener(.webhook, "a", id: id, in: directory)
        let present = try Listener(.webhook, "a", "b", id: id, in: directory)
        #expect(try count(of: "a") == [.webhook: 1])
        withExtendedLifetime(former) {}
        former = nil
        #expect(try count(of: "a") == [.webhook: 1])
        #expect(try count(of: "b") == [.webhook: 1])
        #expect(directory.find(id) === present)
        #expect(directory.all().count == 1)
    }

    /// The census is kept; what it says must be what counting anew would say.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `after any coming and going it says what counting anew would`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let topics = ["a", "b", "a.b", "a.*", "*", "**", "b.**"]
        var listeners: [Listener] = []
        for _ in 0..<400 {
            if Int.random(in: 0..<5, using: &random) < 3 {
                let kind = ObserverKind.allCases.randomElement(using: &random) ?? .stream
                let id = try ObserverID("\(kind)\(Int.random(in: 0..<40, using: &random))")
                let pair = (0..<2).map { _ in topics[Int.random(in: topics.indices, using: &random)] }
                let listener = try Listener(kind, pair[0], pair[1], id: id, in: directory)
                listeners.removeAll { $0.id == id }
                listeners.append(listener)
            } else if !listeners.isEmpty {
                listeners.remove(at: Int.random(in: listeners.indices, using: &random))
            }
        }
        for name in ["a", "b", "a.b", "b.c.d", "c"] {
            let topic = try Topic(name)
            let hearing = listeners.filter { $0.topics.contains { $0.matches(topic) } }
            #expect(try count(of: name) == hearing.reduce(into: [:]) { $0[$1.kind, default: 0] += 1 })
        }
        for text in topics {
            let pattern = try TopicPattern(text)
            let exact = listeners.filter { $0.topics.contains(pattern) }
            #expect(Set(directory.listed(of: pattern).map(\.id)) == Set(exact.map(\.id)))
        }
        let order = listeners.sorted { ObserverPage.Cursor($0) < ObserverPage.Cursor($1) }.map(\.id)
        #expect(directory.all().map(\.id) == order)
        for listener in listeners {
            let place = ObserverPage.Cursor(listener)
            let rest = listeners.filter { ObserverPage.Cursor($0) > place }.count
            #expect(Array(directory.listed(after: place)).count == rest)
        }
    }
}
