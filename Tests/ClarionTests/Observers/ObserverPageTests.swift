import EventLog
import JSON
import MicroHTTP
import Testing

@testable import Clarion

@Suite struct ObserverPageTests {
    private final class Listener: HubObserver {
        let id: ObserverID
        let kind = ObserverKind.stream
        let topics: [TopicPattern]
        let createdAt: Timestamp

        init(_ number: Int64) throws {
            id = try ObserverID("s\(number)")
            topics = [try TopicPattern("a")]
            createdAt = Timestamp(milliseconds: number)
        }

        func document() -> JSONValue { .null }
    }

    private func page(_ query: String) throws -> ObserverPage { try ObserverPage(Target("/observers?\(query)").query) }

    /// Walks all pages, of which each sees a node that tells no more than some at a time.
    private func walk(limit: Int, atOnce count: Int, own: [Listener], others: [Listener]) throws -> [Int64] {
        var (seen, query) = ([Int64](), "limit=\(limit)")
        for _ in 0...(own.count + others.count) {
            let page = try page(query)
            // As that node does.
            let (there, next) = page.select(from: others)
            let told = Array(there.prefix(count))
            let horizon = next != .null || told.count < there.count ? told.last.map(ObserverPage.Cursor.init) : nil
            let (found, more) = page.select(from: own + told, upTo: horizon)
            #expect(found.count <= limit)
            seen += found.map(\.createdAt.milliseconds)
            guard let cursor = more.text else { return seen }
            query = "limit=\(limit)&cursor=\(cursor)"
        }
        Issue.record("the pages do not end")
        return seen
    }

    @Test func `pages of two nodes have each once and in order, however little one tells at a time`() throws {
        let all = try (1...20).map { try Listener($0) }
        for limit in [1, 3, 20, 100] {
            for atOnce in [1, 2, 100] {
                for split in [0, 1, 10, 20] {
                    let mixed = all.filter { $0.createdAt.milliseconds % 2 == 0 || $0.createdAt.milliseconds > split }
                    let rest = all.filter { one in !mixed.contains { $0 === one } }
                    #expect(try walk(limit: limit, atOnce: atOnce, own: mixed, others: rest) == Array(1...20))
                    #expect(try walk(limit: limit, atOnce: atOnce, own: rest, others: mixed) == Array(1...20))
                }
            }
        }
    }
}
