import EventLog
import MicroHTTP

extension Router {
    /// `GET /topics/{topic}/events/{id}`: one event, as it was posted.
    mutating func addHistory(_ hub: Hub) {
        onAsync(.get, "/topics/{topic}/events/{id}", hub) { [log = hub.log] request in
            let topic: Topic = try request.parameter("topic")
            let text: String = try request.parameter("id")
            guard let id = EventID(text), let event = try await log.event(id), event.topic == topic else {
                throw Problem(.notFound, code: "event-unknown", detail: "This topic has no such event.")
            }
            return Response.event(event, for: request, lifespan: .lasting)
        }
    }
}

extension Hub {
    /// A page of history: `?since=&after=&limit=`.
    func history(of topics: [TopicPattern], for request: Request, asLines: Bool) -> Reply {
        .later { [weak self] responder in
            self?.work.start { [weak self] in
                guard let self else { return }
                do {
                    let page = try await self.page(of: topics, for: request)
                    responder.respond(asLines ? page.lines : page.json)
                } catch {
                    responder.respond(Problem(error, request: request, logger: self.logger))
                }
            }
        }
    }

    private func page(of topics: [TopicPattern], for request: Request) async throws -> HistoryPage {
        let query = request.target.query
        let limit = try ListPage.limit(query)
        let types = TypeFilter(query["type"])
        var position = try await start(query, of: topics)
        var page = HistoryPage()
        // The log scans a bounded part at a time, so a page may come back short, or empty, before the end.
        while page.events.count < limit {
            let part = try await log.read(
                after: position,
                matching: topics,
                limit: limit - page.events.count,
                byteLimit: HistoryPage.byteLimit
            )
            page.events += part.events.filter(types.selects)
            position = part.scannedThrough
            if part.isLast { break }
            if page.events.reduce(0, { $0 + $1.data.count }) >= HistoryPage.byteLimit { break }
        }
        if position < log.tail { page.next = EventID(epoch: log.epoch, position: position) }
        return page
    }

    private func start(_ query: Query, of topics: [TopicPattern]) async throws -> Position {
        let since = try query["since"].map { text throws(Problem) in try Since(text, now: .now()) }
        if let after = query["after"] {
            guard let id = EventID(after), id.epoch == log.epoch else {
                throw ListPage.problem("after", "is not the id of an event of this log")
            }
            return id.position
        }
        return try await log.position(of: since ?? .earliest, for: topics)
    }
}

/// Events of the past, as one answer.
private struct HistoryPage {
    /// Beyond this a page ends early, whatever its limit: an answer is built in memory.
    static let byteLimit = 4 * 1024 * 1024

    var events: [Event] = []
    /// Where the next page begins, as what comes after this; nil at the end.
    var next: EventID?

    var json: Response {
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
        body.append(UInt8(ascii: "}"))
        return Response(
            .ok,
            headers: [("Content-Type", "application/json"), ("Cache-Control", "no-store")],
            body: body
        )
    }

    var lines: Response {
        var body: [UInt8] = []
        for event in events {
            body += EventDocument.json(event)
            body.append(UInt8(ascii: "\n"))
        }
        return Response(
            .ok,
            headers: [("Content-Type", "application/x-ndjson"), ("Cache-Control", "no-store")],
            body: body
        )
    }
}
