import EventLog
import FoundationEssentials
import MicroHTTP

/// A page of a list of observers: its filters, its size, and where it begins.
struct ObserverPage {
    private static let maximumLimit = 1000

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
            guard let data = Data(base64Encoded: text) else { return nil }
            let parts = String(decoding: data, as: UTF8.self).split(separator: " ")
            guard parts.count == 2, let createdAt = Int64(parts[0]) else { return nil }
            self.createdAt = createdAt
            id = String(parts[1])
        }

        var text: String { Data("\(createdAt) \(id)".utf8).base64EncodedString() }

        static func < (left: Cursor, right: Cursor) -> Bool {
            (left.createdAt, left.id) < (right.createdAt, right.id)
        }
    }

    /// Reads `?topic=&kind=&limit=&cursor=`.
    init(_ query: Query) throws(Problem) {
        if let name = query["topic"] { topic = try TopicPattern(pathSegment: name) } else { topic = nil }
        if let name = query["kind"] {
            guard let kind = ObserverKind(rawValue: name) else {
                throw Self.problem("kind", "is one of \(ObserverKind.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            self.kind = kind
        } else {
            kind = nil
        }
        guard let limit = Int(query["limit"] ?? "100"), (1...Self.maximumLimit).contains(limit) else {
            throw Self.problem("limit", "is a number from 1 to \(Self.maximumLimit)")
        }
        self.limit = limit
        if let text = query["cursor"] {
            // A "+" in a query is a space: undo it, so that a cursor pasted unescaped works.
            guard let cursor = Cursor(String(text.map { $0 == " " ? "+" : $0 })) else {
                throw Self.problem("cursor", "is the \"next\" of an earlier page")
            }
            after = cursor
        } else {
            after = nil
        }
    }

    /// The page's observers and the cursor of the next page, if there is more.
    func select(from observers: [any HubObserver]) -> (page: [any HubObserver], next: String?) {
        let matching = observers.filter { observer in
            if let kind, observer.kind != kind { return false }
            if let topic, !observer.topics.contains(topic) { return false }
            if let after, Cursor(observer) <= after { return false }
            return true
        }
        let page = Array(matching.prefix(limit))
        return (page, matching.count > limit ? page.last.map { Cursor($0).text } : nil)
    }

    private static func problem(_ parameter: String, _ what: String) -> Problem {
        Problem(.badRequest, code: "parameter-invalid", detail: "\"\(parameter)\" \(what).", parameter: parameter)
    }
}
