import EventLog
import MicroHTTP

/// Where a client wants its stream to begin, as it says.
enum StreamBeginning: Hashable, Sendable {
    case since(Since)
    /// After the event that it got last. An id wins over `since` and `last`.
    case after(String)

    /// What clients call the id in a query; the header wins over all of them.
    private static let idNames = ["last-event-id", "last_event_id", "lastEventID", "lastEventId"]

    /// What a query may say of it.
    static let parameters: [Operation.Parameter] = {
        let otherSpellings = Array(idNames.dropFirst())
        let example: OrderedJSON = "01jd7m3x8qz4-41"
        var ofQuery = Operation.Parameter.query(
            idNames[0],
            "Where a stream is resumed: after this event. It wins over `since` and `last`. Also spelt "
                + otherSpellings.map { "`\($0)`" }.joined(separator: ", ") + ".",
            ["type": "string"],
            example: example
        )
        ofQuery.otherSpellings = otherSpellings
        let ofHead = Operation.Parameter.header(
            "Last-Event-ID",
            "Where a stream is resumed, as an `EventSource` says it; it wins over the query.",
            ["type": "string"],
            example: example
        )
        return Since.parameters + [ofQuery, ofHead]
    }()

    /// - Throws: what ``Since`` does, also if an id makes it irrelevant: a typo does not pass silently.
    init(_ request: Request, now: Timestamp) throws(Problem) {
        let query = request.target.query
        let since = try Since(query, now: now)
        // Clients send an empty id for none (WHATWG HTML, section 9.2.3).
        let shown = request.headers["Last-Event-ID"] ?? ""
        if let id = shown.isEmpty ? Self.id(in: query)?.text : shown {
            // No id is spelt so. It is what clients of Mercure say for all that is there.
            self = id == "earliest" ? .since(.earliest) : .after(id)
        } else {
            self = .since(since ?? .latest)
        }
    }

    /// The id after which a query wants to go on, be it of a stream or of history, which calls it `after`: who goes on with the
    /// one where the other ended need not know two words for it. And which parameter says so.
    ///
    /// The first is what polyfills of `EventSource` add to a URL when they come back, whatever its author wrote there.
    static func id(in query: Query) -> (parameter: String, text: String)? {
        (["lastEventId"] + idNames + ["after"]).lazy.compactMap { name in query[name].map { (name, $0) } }.first {
            !$0.1.isEmpty
        }
    }

    /// Where that is, if it is known without reading the log, as it is nearly always.
    func start(in log: any EventLog) -> StreamStart? {
        switch self {
        case .since(.latest): return .latest
        case .since(.earliest): return .rest(after: .start)
        case .since: return nil
        case .after(let text):
            guard let id = EventID(text), id.epoch == log.epoch else { return .unknown(asked: text) }
            return id.position <= log.tail ? .resume(after: id.position, asked: text) : nil
        }
    }

    /// Where that is, after reading the log if need be.
    func find(
        in log: any EventLog,
        topics: [TopicPattern],
        types: EventTypes
    ) async throws(EventLogError) -> StreamStart {
        if let start = start(in: log) { return start }
        switch self {
        case .since(let since): return .rest(after: try await log.position(of: since, for: topics, types: types))
        case .after(let text):
            guard let id = EventID(text), try await log.hasReached(id.position) else { return .unknown(asked: text) }
            return .resume(after: id.position, asked: text)
        }
    }
}
