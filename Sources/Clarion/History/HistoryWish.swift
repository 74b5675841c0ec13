import EventLog
import MicroHTTP

/// What a client asks of history.
struct HistoryWish: Sendable {
    let topics: [TopicPattern]
    let types: TypeFilter
    /// Where to begin, unless after an event.
    let since: Since?
    let limit: Int
    let format: HistoryFormat
    /// The query as it came, which links to the next page repeat.
    let query: Query

    /// - Throws: `parameter-invalid`, `since-invalid`.
    init(_ topics: [TopicPattern], _ request: Request, format: HistoryFormat) throws(Problem) {
        query = request.target.query
        since = try Since(query, now: .now())
        let limit = try ListPage.limit(query)
        // Who asks for the newest hundred gets them all, however many a page has that nobody asked for.
        if case .newest(let count) = since, query["limit"] == nil, query["after"] == nil {
            self.limit = count
        } else {
            self.limit = limit
        }
        types = TypeFilter(query["type"])
        self.topics = topics
        self.format = format
    }

    /// The head of the answer.
    func head(of page: HistoryPage) -> Response {
        var headers = [("Content-Type", format.contentType), ("Cache-Control", "no-store")]
        if let next = page.next { headers.append(("Link", "<\(query.reference(after: next))>; rel=\"next\"")) }
        return Response(.ok, headers: headers)
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
