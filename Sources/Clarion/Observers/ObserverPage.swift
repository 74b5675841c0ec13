import EventLog
import JSON
import MicroHTTP

/// A page of a list of observers: its filters, its size, and where it begins.
struct ObserverPage: Equatable {
    private let topic: TopicPattern?
    private let kind: ObserverKind?
    private let limit: Int
    private let after: Cursor?

    /// Observers are listed oldest first; the place in that order stays theirs while others come and go.
    struct Cursor: Comparable {
        let createdAt: Int64
        let id: String

        init(_ observer: any HubObserver) {
            createdAt = observer.createdAt.milliseconds
            id = observer.id.description
        }

        fileprivate init(createdAt: Int64, id: String) { (self.createdAt, self.id) = (createdAt, id) }

        fileprivate init?(_ text: String) {
            let parts = text.split(separator: " ")
            guard parts.count == 2, let createdAt = Int64(parts[0]) else { return nil }
            self.createdAt = createdAt
            id = String(parts[1])
        }

        fileprivate var text: String { "\(createdAt) \(id)" }

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

    /// As many of a directory as the page can take of them, and one more, which tells that there is more.
    func first(
        of directory: ObserverDirectory,
        where isShown: (any HubObserver) -> Bool
    ) -> [any HubObserver] {
        guard let topic else { return first(of: directory.listed(after: after), where: isShown) }
        let listed = directory.listed(of: topic).drop { listed in after.map { listed.place <= $0 } ?? false }
        return first(of: listed, where: isShown)
    }

    private func first(
        of listed: some Sequence<ListedObserver>,
        where isShown: (any HubObserver) -> Bool
    ) -> [any HubObserver] {
        var found: [any HubObserver] = []
        for listed in listed where mayHave(listed.kind) {
            guard let observer = listed.observer, isShown(observer) else { continue }
            found.append(observer)
            if found.count > limit { break }
        }
        return found
    }

    /// The page's observers and the cursor of the next page, if there is more.
    ///
    /// - Parameter horizon: up to where they are known, if there may be more after; the page ends there.
    func select(
        from observers: [any HubObserver],
        upTo horizon: Cursor? = nil
    ) -> (page: [any HubObserver], next: JSONValue) {
        let matching = observers.map { (place: Cursor($0), observer: $0) }.filter { place, observer in
            if let kind, observer.kind != kind { return false }
            if let topic, !observer.topics.contains(topic) { return false }
            if let after, place <= after { return false }
            return horizon.map { place <= $0 } ?? true
        }.sorted { $0.place < $1.place }
        let page = matching.prefix(limit)
        let next = matching.count > limit ? page.last?.place : horizon
        return (page.map(\.observer), next.map { ListPage.cursor($0.text) } ?? .null)
    }

    /// The cursor of a page that begins after an observer.
    static func cursor(after observer: any HubObserver) -> JSONValue { ListPage.cursor(Cursor(observer).text) }

    /// Whether it may have observers of a kind.
    func mayHave(_ kind: ObserverKind) -> Bool { self.kind.map { $0 == kind } ?? true }
}

/// As nodes of a cluster tell each other of a page.
extension ObserverPage {
    var members: [String: JSONValue] {
        var members: [String: JSONValue] = ["limit": JSONValue(limit)]
        members["topic"] = topic.map { .string($0.text) }
        members["kind"] = kind.map { .string($0.rawValue) }
        members["after"] = after.map { .array([JSONValue($0.createdAt), .string($0.id)]) }
        return members
    }

    /// - Returns: nil if it is none.
    init?(_ value: JSONValue) {
        guard let limit = value["limit"]?.number, ListPage.limits.contains(limit) else { return nil }
        self.limit = limit
        topic = value["topic"]?.text.flatMap { try? TopicPattern($0) }
        kind = value["kind"]?.text.flatMap(ObserverKind.init(rawValue:))
        guard (topic == nil) == (value["topic"] == nil), (kind == nil) == (value["kind"] == nil) else { return nil }
        guard let parts = value["after"] else {
            after = nil
            return
        }
        guard let elements = parts.elements, elements.count == 2, let createdAt = elements[0].number,
            let id = elements[1].text
        else { return nil }
        after = Cursor(createdAt: Int64(createdAt), id: id)
    }
}
