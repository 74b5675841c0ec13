import EventLog
import MicroHTTP

extension Router {
    /// `GET /topics/{topic}/events/{id}`: one event, as it was posted.
    mutating func addHistory(_ hub: Hub) {
        onAsync(.get, "/topics/{topic}/events/{id}", parameters: [], hub) { [log = hub.log] request in
            let topic: Topic = try request.parameter("topic")
            let text: String = try request.parameter("id")
            guard let id = EventID(text), let event = try await log.event(id), event.topic == topic else {
                throw Problem(.notFound, code: "event-unknown", detail: "This topic has no such event.")
            }
            return try Response.event(event, for: request, lifespan: .lasting)
        }
    }
}

extension Hub {
    /// A page of history: `?since=&last=&after=&limit=`.
    func history(of topics: [TopicPattern], for request: Request, asLines: Bool) -> Reply {
        .later { [weak self] responder in
            self?.work.start { [weak self] in
                guard let self else { return }
                do {
                    let page = try await self.page(of: topics, for: request)
                    let query = request.target.query
                    responder.respond(asLines ? page.lines(of: query) : page.json(of: query))
                } catch {
                    responder.respond(Problem(error, request: request, logger: self.logger))
                }
            }
        }
    }

    private func page(of topics: [TopicPattern], for request: Request) async throws -> HistoryPage {
        let query = request.target.query
        let since = try Since(query, now: .now())
        let types = TypeFilter(query["type"])
        var limit = try ListPage.limit(query)
        // Who asks for the newest hundred gets them all, however many a page has that nobody asked for.
        if case .newest(let count) = since, query["limit"] == nil, query["after"] == nil { limit = count }
        var position = try await start(since, query, of: topics, types: types)
        var page = HistoryPage(limit: limit)
        // On to the first event for which there is no room: only then it is certain that there is more. The log looks at
        // a bounded part at a time, and of what it finds not everything may be wanted.
        while !page.hasMore {
            let part = try await log.read(
                after: position,
                matching: topics,
                // Of a few at a time that are hardly ever wanted, a page of ten would take thousands of reads.
                limit: types.isOpen ? limit + 1 - page.events.count : max(limit + 1, 512),
                byteLimit: HistoryPage.byteLimit
            )
            for event in part.events where types.selects(event) { page.add(event) }
            if part.isLast { break }
            position = part.scannedThrough
        }
        return page
    }

    private func start(
        _ since: Since?,
        _ query: Query,
        of topics: [TopicPattern],
        types: TypeFilter
    ) async throws -> Position {
        guard let after = query["after"] else {
            return try await log.position(of: since ?? .earliest, for: topics, types: types)
        }
        guard let id = EventID(after), id.epoch == log.epoch, try await log.hasReached(id.position) else {
            throw ListPage.problem(
                "after",
                "is not the id of an event of this log. Begin again without it, or with \"since\" or \"last\""
            )
        }
        return id.position
    }
}
