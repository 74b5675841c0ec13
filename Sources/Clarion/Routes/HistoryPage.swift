import EventLog
import MicroHTTP

/// Events of the past, as one answer.
struct HistoryPage {
    /// Where a page ends early, whatever its limit: an answer is built in memory.
    static let byteLimit = 4 * 1024 * 1024

    private(set) var events: [Event] = []
    /// Whether there are events for which it has no room.
    private(set) var hasMore = false

    private let limit: Int
    private var bytes = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Adds an event after those present, if there is room.
    mutating func add(_ event: Event) {
        guard events.count < limit, bytes < Self.byteLimit else {
            hasMore = true
            return
        }
        events.append(event)
        bytes += event.data.count
    }

    /// After which event the next page begins; nil if there is none.
    private var next: EventID? { hasMore ? events.last?.id : nil }

    /// The page as one document.
    func json(of query: Query) -> Response {
        var body = Array("{\"events\":[".utf8)
        for (index, event) in events.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += EventDocument.json(event)
        }
        body += Array("],\"next\":".utf8)
        if let next {
            JSONText.append(next.description, to: &body)
        } else {
            body += Array("null".utf8)
        }
        body += Array("}\n".utf8)
        return response("application/json", body, query)
    }

    /// The page as a line for each event.
    func lines(of query: Query) -> Response {
        var body: [UInt8] = []
        for event in events {
            body += EventDocument.json(event)
            body.append(UInt8(ascii: "\n"))
        }
        return response("application/x-ndjson", body, query)
    }

    private func response(_ contentType: String, _ body: [UInt8], _ query: Query) -> Response {
        var headers = [("Content-Type", contentType), ("Cache-Control", "no-store")]
        if let next { headers.append(("Link", "<\(query.reference(after: next))>; rel=\"next\"")) }
        return Response(.ok, headers: headers, body: body)
    }
}

extension Query {
    /// The next page, relative to this one (RFC 3986 section 5.2.2): of the query alone, so that it holds also where a
    /// proxy has given the hub another path.
    fileprivate func reference(after id: EventID) -> String {
        // Where this page began does not matter any more.
        let others = parameters.filter { !["after", "since", "last"].contains($0.name) }
        let pairs = others.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))&" }
        return "?\(pairs.joined())after=\(id)"
    }
}
