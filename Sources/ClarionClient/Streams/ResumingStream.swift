internal import HTTPTransport

/// One stream over all its connections, read by one task.
final class ResumingStream {
    private let client: ClarionClient
    private let wish: StreamWish
    private let notice: @Sendable (ClarionClient.Notice) -> Void
    private var resumption: Resumption
    private var recent = RecentEvents()
    private var connection: HTTPResponse?
    private var parser: EventStreamParser
    /// What has come over the connection and was not yet given, the next one last.
    private var upcoming: [EventStreamParser.Message] = []
    private var isOver = false

    init(
        _ client: ClarionClient,
        _ wish: StreamWish,
        _ notice: @escaping @Sendable (ClarionClient.Notice) -> Void
    ) {
        self.client = client
        self.wish = wish
        self.notice = notice
        resumption = Resumption(wish.start)
        parser = EventStreamParser(maximumBytes: client.configuration.maximumEventBytes)
    }

    /// The next event; nil if there will be none.
    func next() async throws(ClientError) -> ClarionClient.Event? {
        while !isOver {
            do throws(ClientError) {
                while !Task.isCancelled, let message = upcoming.popLast() {
                    if let event = try take(message) { return event }
                }
                try await read()
            } catch {
                try await recover(from: error)
            }
        }
        return nil
    }

    /// Takes in what has come.
    ///
    /// - Returns: the event, if it is one that was not shown before.
    private func take(_ message: EventStreamParser.Message) throws(ClientError) -> ClarionClient.Event? {
        // Events in this envelope have no `event:` line, so nobody's event can pass for a gap.
        if message.type == "gap", let gap = ClarionClient.Gap(json: message.data) {
            notice(.gap(gap))
            return nil
        }
        guard message.type == "message" else { return nil }
        guard let event = ClarionClient.Event(json: message.data) else {
            let name = message.id.isEmpty ? "an event" : "the event \(message.id.prefix(64))"
            throw ClientError(
                code: ClientError.answerUnreadable,
                detail: "What \(client.url.text) sends as \(name) cannot be read."
            )
        }
        resumption.passed(message.id)
        return recent.insert(event) ? event : nil
    }

    /// Reads on, from a connection that is made if there is none.
    private func read() async throws(ClientError) {
        let connection: HTTPResponse
        if let present = self.connection { connection = present } else { connection = try await connect() }
        guard !isOver else { return }
        let bytes: [UInt8]?
        do throws(HTTPFailure) {
            bytes = try await connection.next()
        } catch {
            throw ClientError(error, hub: client.url)
        }
        if let bytes { try take(bytes) } else { try await wait(resumption.ended(nil, jitter: 0), nil) }
    }

    private func take(_ bytes: [UInt8]) throws(ClientError) {
        upcoming = try parser.take(bytes).reversed()
        if let retry = parser.retry { resumption.retry(milliseconds: retry) }
    }

    private func connect() async throws(ClientError) -> HTTPResponse {
        let connection = try await client.send(try call)
        guard connection.head.status != 204 else {
            isOver = true
            return connection
        }
        guard connection.head["Content-Type"]?.lowercased().hasPrefix("text/event-stream") == true else {
            throw client.unreadable
        }
        resumption.connected(after: connection.head["Clarion-Last-Event-Id"])
        parser = EventStreamParser(maximumBytes: client.configuration.maximumEventBytes)
        self.connection = connection
        notice(.connected)
        return connection
    }

    private var call: Call {
        get throws(ClientError) {
            var call = Call("GET", "events")
            for pattern in wish.patterns { call.ask("topic", pattern) }
            call.ask("envelope", "json")
            try call.ask(types: wish.types)
            call.begin(resumption.next)
            call.headers = [("Accept", "text/event-stream"), ("Cache-Control", "no-store")]
            return call
        }
    }

    private func recover(from error: ClientError) async throws(ClientError) {
        if error.code == ClientError.cancelled {
            isOver = true
            return
        }
        try await wait(resumption.ended(error, jitter: .random(in: 0...1)), error)
    }

    /// Lets go of the connection, and waits before the next. What came over it and was not given comes again.
    private func wait(_ step: Resumption.Step, _ error: ClientError?) async throws(ClientError) {
        connection = nil
        upcoming = []
        switch step {
        case .fail(let error):
            isOver = true
            throw error
        case .again(let wait):
            notice(.disconnected(error, retry: wait))
            do { try await Task.sleep(for: wait, clock: .continuous) } catch { isOver = true }
        }
    }
}
