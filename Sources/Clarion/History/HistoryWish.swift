import EventLog
import MicroHTTP

/// What a client asks of history.
struct HistoryWish: Sendable {
    let topics: [TopicPattern]
    let types: EventTypes
    /// Where to begin, unless after an event.
    let since: Since?
    let limit: Int
    let format: HistoryFormat
    /// The target as it came, which links to the next page repeat.
    let target: Target
    var query: Query { target.query }

    /// - Throws: `parameter-invalid`, `since-invalid`.
    init(_ topics: [TopicPattern], _ request: Request, format: HistoryFormat, now: Timestamp) throws(Problem) {
        target = request.target
        let query = target.query
        since = try Since(query, now: now)
        let limit = try ListPage.limit(query)
        // Who asks for the newest hundred gets them all, however many a page has that nobody asked for.
        if case .newest(let count) = since, query["limit"] == nil, StreamBeginning.id(in: query) == nil {
            self.limit = count
        } else {
            self.limit = limit
        }
        types = try EventTypes(query["type"])
        self.topics = topics
        self.format = format
    }

    /// The head of the answer.
    func head(of page: HistoryPage, _ links: Links) -> Response {
        var headers = [("Content-Type", format.contentType), ("Cache-Control", "no-store")]
        if let next = page.next { headers.append(("Link", "<\(links.page(of: target, after: next))>; rel=\"next\"")) }
        return Response(.ok, headers: headers)
    }
}
