import EventLog
import JSON
import MicroHTTP

/// A page of a list of observers: its filters, its size, and where it begins.
struct ObserverPage {
    private let topic: TopicPattern?
    private let kind: ObserverKind?
    private let limit: Int
    private let after: Cursor?

    /// Observers are listed oldest first; the place in that order stays theirs while others come and go.
    private struct Cursor: Comparable {
        let createdAt: Int64
        let id: String

        init(_ observer: any HubObserver) {
            createdAt = observer.createdAt.milliseconds
            id = observer.id.description
        }

        init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let createdAt = Int64(parts[0]) else { return nil }
            self.createdAt = createdAt
            id = String(parts[1])
        }

        var text: String { "\(createdAt) \(id)" }

        static func < (left: Cursor, right: Cursor) -> Bool {
            (left.createdAt, left.id) < (right.createdAt, right.id)
        }
    }

    /// Reads `?topic=&kind=&limit=&cursor=`.
    init(_ query: Query) throws(Problem) {
        if let name = query["topic"] { topic = try TopicPattern(pathSegment: name) } else { topic = nil }
        if let name = query["kind"] {
            guard let kind = ObserverKind(rawValue: name) else {
                throw ListPage.problem(
                    "kind",
                    "is one of \(ObserverKind.allCases.map(\.rawValue).joined(separator: ", "))"
                )
            }
            self.kind = kind
        } else {
            kind = nil
        }
        let page = try ListPage(query)
        limit = page.limit
        after = try page.after.map { text throws(Problem) in
            guard let cursor = Cursor(text) else { throw ListPage.cursorProblem }
            return cursor
        }
    }

    /// The page's observers and the cursor of the next page, if there is more.
    func select(from observers: [any HubObserver]) -> (page: [any HubObserver], next: JSONValue) {
        let matching = observers.filter { observer in
            if let kind, observer.kind != kind { return false }
            if let topic, !observer.topics.contains(topic) { return false }
            if let after, Cursor(observer) <= after { return false }
            return true
        }
        let page = Array(matching.prefix(limit))
        return (page, matching.count > limit ? page.last.map { ListPage.cursor(Cursor($0).text) } ?? .null : .null)
    }
}
