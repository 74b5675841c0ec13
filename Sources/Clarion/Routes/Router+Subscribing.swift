import EventLog
import MicroHTTP

extension Router {
    /// `GET …/events`: a stream if the client accepts one, otherwise history.
    mutating func addSubscribing(_ hub: Hub) {
        on(.get, "/topics/{topic}/events") { [weak hub] request throws(Problem) in
            guard let hub else { throw Problem.draining }
            return try hub.events(of: [try request.parameter("topic")], for: request)
        }
        on(.get, "/events") { [weak hub] request throws(Problem) in
            guard let hub else { throw Problem.draining }
            return try hub.events(of: try Self.topics(of: request), for: request)
        }
    }

    private static let maximumTopics = 100

    private static func topics(of request: Request) throws(Problem) -> [TopicPattern] {
        let names = request.target.query.values(of: "topic")
        guard (1...maximumTopics).contains(names.count) else {
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "Name 1 to \(maximumTopics) topics or patterns: /events?topic=orders.*&topic=news.",
                parameter: "topic"
            )
        }
        var topics: [TopicPattern] = []
        for name in names { topics.append(try TopicPattern(pathSegment: name)) }
        return topics
    }
}

extension Hub {
    fileprivate func events(of topics: [TopicPattern], for request: Request) throws(Problem) -> Reply {
        switch try EventsFormat(request) {
        case .stream: return try openStream(of: topics, for: request)
        case .json: return history(of: topics, for: request, asLines: false)
        case .lines: return history(of: topics, for: request, asLines: true)
        }
    }

    private static let streamHeaders = [
        ("Content-Type", "text/event-stream; charset=utf-8"),
        ("Cache-Control", "no-store"),
        ("X-Accel-Buffering", "no"),
    ]

    private func openStream(of topics: [TopicPattern], for request: Request) throws(Problem) -> Reply {
        guard !isDraining else { throw Problem.draining }
        // A head alone changes nothing: it takes nobody's name.
        guard request.method != .head else { return .now(Response(.ok, headers: Self.streamHeaders)) }
        let name = try request.target.query["observer"].map { text throws(Problem) in try ObserverID(text) }
        if let name, streams.isRetired(name) { return .now(Response(.noContent)) }
        guard name.flatMap(directory.find)?.kind ?? .stream == .stream else { throw Problem.observerKind }
        let (stream, after) = streams.open(
            name: name,
            topics: topics,
            types: TypeFilter(request.target.query["type"]),
            format: try Feed.Format(request),
            start: try StreamHost.Start(request),
            remoteAddress: request.remoteAddress
        )
        let head = Response(
            .ok,
            headers: Self.streamHeaders + [
                ("Clarion-Observer-Id", stream.id.description),
                ("Clarion-Last-Event-Id", after.description),
            ],
            body: ServerSentEvent.prelude
        )
        return .stream(head, stream.outlet, owner: stream)
    }
}

extension Feed.Format {
    /// `?envelope=cloudevents`, or nothing.
    fileprivate init(_ request: Request) throws(Problem) {
        switch request.target.query["envelope"] {
        case nil: self = .plain
        case "cloudevents": self = .cloudEvents
        case .some:
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "\"envelope\" is \"cloudevents\", or left out.",
                parameter: "envelope"
            )
        }
    }
}

extension StreamHost.Start {
    /// What clients call the id to resume after, in a query; the header wins over all of them.
    private static let lastIDNames = ["last-event-id", "last_event_id", "lastEventID", "lastEventId"]

    fileprivate init(_ request: Request) throws(Problem) {
        let query = request.target.query
        let lastID = request.headers["Last-Event-ID"] ?? Self.lastIDNames.lazy.compactMap { query[$0] }.first
        if let lastID, !lastID.isEmpty {
            self = .after(lastID)
            return
        }
        switch query["since"] {
        case nil, "latest": self = .latest
        case "earliest": self = .earliest
        case .some:
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "\"since\" is \"latest\" or \"earliest\".",
                parameter: "since"
            )
        }
    }
}
