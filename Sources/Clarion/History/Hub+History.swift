import EventLog
import MicroHTTP

extension Hub {
    /// A page of history: `?since=&last=&after=&limit=`.
    func history(of topics: [TopicPattern], for request: Request, format: HistoryFormat) -> Reply {
        .later { [weak self] responder in
            self?.work.start(for: responder) { [weak self] in
                guard let self else { return }
                do {
                    let wish = try HistoryWish(topics, request, format: format, now: log.timeOfDay)
                    let start = try await responder.whileWanted {
                        try await self.start(wish.since, wish.query, of: topics, types: wish.types)
                    }
                    // Read twice unless it is small: its head says whether there is more after it.
                    guard let page = try await self.outline(wish, after: start, for: responder) else {
                        throw Problem.readersOverloaded
                    }
                    let head = wish.head(of: page, self.links)
                    if let body = page.body {
                        let response = Response(.ok, headers: head.headers, body: body)
                        let held = try await self.answers.held(response)
                        responder.respond(held)
                    } else {
                        try await self.write(page, of: wish, after: start, head: head, to: responder, request)
                    }
                } catch {
                    responder.respond(Problem(error, request: request, faults: self.faults))
                }
            }
        }
    }

    /// Finds where a page ends: at the first event for which there is no room, because only then it is certain that there
    /// is more. The log looks at a bounded part at a time, and of what it finds not everything may be wanted.
    ///
    /// - Returns: nil if there was no room to read in time.
    private func outline(
        _ wish: HistoryWish,
        after start: Position,
        for responder: Responder
    ) async throws -> HistoryPage? {
        var position = start
        var page = HistoryPage(limit: wish.limit, format: wish.format)
        while !page.hasMore {
            let rest = wish.limit + 1 - page.count
            let read = try await pages.read(
                after: position,
                matching: wish.topics,
                limit: wish.types.areAll ? min(rest, ReaderPages.events) : ReaderPages.events,
                within: AnswerRoom.longestWait
            ) { part in
                for event in part.events where wish.types.contain(event) && !page.hasMore { page.add(event) }
                return (part.isLast, part.scannedThrough)
            }
            guard let (isLast, scannedThrough) = read else { return nil }
            if isLast { break }
            position = scannedThrough
            // Little may be found in much: nobody looks on for a client that is gone.
            if responder.isAbandoned { throw Problem.clientGone }
        }
        return page
    }

    private func write(
        _ page: HistoryPage,
        of wish: HistoryWish,
        after start: Position,
        head: Response,
        to responder: Responder,
        _ request: Request
    ) async throws(Problem) {
        // Taken and given back: without room for its first piece it is not begun.
        guard await readerMemory.hold(HistoryWriter.outboxBytes, within: AnswerRoom.longestWait) != nil else {
            throw Problem.readersOverloaded
        }
        responder.reply { [openStreams, pages, work] in
            let outlet = DetachedStream(
                streams: openStreams,
                outboxLimit: HistoryWriter.outboxBytes,
                endsWithPeer: false
            )
            if request.method != .head {
                let writing = HistoryWriter(wish: wish, page: page, start: start, pages: pages, outlet: outlet)
                work.start { await writing.write() }
            }
            var head = head
            head.body = wish.format.beginning
            return .stream(head, outlet, owner: outlet)
        }
    }

    private func start(
        _ since: Since?,
        _ query: Query,
        of topics: [TopicPattern],
        types: EventTypes
    ) async throws -> Position {
        guard let after = query["after"].map({ (parameter: "after", text: $0) }) ?? StreamBeginning.id(in: query) else {
            return try await log.position(of: since ?? .earliest, for: topics, types: types)
        }
        guard let id = EventID(after.text), id.epoch == log.epoch, try await log.hasReached(id.position) else {
            throw ListPage.problem(
                after.parameter,
                "is not the id of an event of this log. Begin again without it, or with \"since\" or \"last\""
            )
        }
        return id.position
    }
}
