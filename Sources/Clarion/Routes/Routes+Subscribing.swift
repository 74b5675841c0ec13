import Access
import EventLog
import MicroHTTP

extension Routes {
    /// `GET …/events`: a stream if the client accepts one, otherwise history.
    mutating func addSubscribing(_ hub: Hub) {
        on(.get, "/topics/{topic}/events", .readEvents, needs: .subscribe) { [weak hub] request throws(Problem) in
            guard let hub else { throw Problem.draining }
            return try hub.events(of: [try request.parameter("topic")], for: request)
        }
        on(.get, "/events", .readEventsOfTopics, needs: .subscribeSomewhere) { [weak hub] request throws(Problem) in
            guard let hub else { throw Problem.draining }
            let topics = try Self.topics(of: request)
            for topic in topics { try request.caller.require(.subscribe, on: topic) }
            return try hub.events(of: topics, for: request)
        }
    }

    /// How many topics and patterns one request may name.
    static let maximumTopics = 100

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
        return try names.map(TopicPattern.init(pathSegment:))
    }
}

extension Hub {
    fileprivate func events(of topics: [TopicPattern], for request: Request) throws(Problem) -> Reply {
        let format = try EventsFormat(request)
        let envelope = try EventEnvelope(request)
        // What only a stream looks at must be right in a history, too: a typo does not pass silently.
        let name = try request.target.query["observer"].map { text throws(Problem) in
            try ObserverID(text, parameter: "observer")
        }
        switch format {
        case .stream: return try openStream(of: topics, for: request, name, envelope)
        case .json: return history(of: topics, for: request, format: HistoryFormat(layout: .json, envelope: envelope))
        case .lines: return history(of: topics, for: request, format: HistoryFormat(layout: .lines, envelope: envelope))
        }
    }
}

extension EventEnvelope {
    /// `?envelope=json`, `?envelope=cloudevents`, or nothing.
    fileprivate init(_ request: Request) throws(Problem) {
        switch request.target.query["envelope"] {
        case nil: self = .plain
        case "json": self = .json
        case "cloudevents": self = .cloudEvents
        case .some:
            throw Problem(
                .badRequest,
                code: "parameter-invalid",
                detail: "\"envelope\" is \"json\" or \"cloudevents\", or left out.",
                parameter: "envelope"
            )
        }
    }
}
