import EventLog
import MicroHTTP
import Notation

/// Where to begin in the log, as `?since=` or `?last=` says it.
enum Since: Hashable, Sendable {
    /// With what comes next.
    case latest
    /// With the oldest event that is retained.
    case earliest
    /// With the newest event of the topics, whatever its type: the topic as an observable value.
    case last
    /// With the first event at or after a moment.
    case moment(Timestamp)
    /// With the newest events, so many of the topics and types: `?last=`.
    case newest(Int)

    /// How many events `?last=` may name.
    private static let counts = 1...1000

    /// What a query may say of it.
    static let parameters: [Operation.Parameter] = [
        .query(
            "since",
            """
            Where to begin: `latest` (what comes next), `earliest` (the oldest event that is kept), `last` (the newest event), \
            an RFC 3339 time, or a duration such as `10m` or `1h30m`. Streams begin with `latest` unless it is given, history \
            with `earliest`.
            """,
            [
                "anyOf": [
                    .choice(["latest", "earliest", "last"]), .time(),
                    ["type": "string", "pattern": .string(durationPattern)],
                ]
            ],
            example: "10m",
            errors: ["since-invalid"]
        ),
        .query(
            "last",
            "Begin so many events before the newest, the oldest of them first. Not beside `since`.",
            .integer(counts),
            example: 10
        ),
    ]

    /// What durations look like, about.
    static let durationPattern = "^([0-9]{1,5}(d|h|m|s|ms))+$"

    /// Reads `?since=` or `?last=`; nil if there is neither.
    ///
    /// - Throws: `since-invalid`; `parameter-invalid` for `last` that is no number from 1 to 1000, or stands beside `since`.
    init?(_ query: Query, now: Timestamp) throws(Problem) {
        let since = try query["since"].map { text throws(Problem) in try Since(text, now: now) }
        guard let text = query["last"] else {
            guard let since else { return nil }
            self = since
            return
        }
        guard since == nil else { throw ListPage.problem("last", "cannot come together with \"since\"") }
        guard let count = Int(digits: text.utf8), Self.counts.contains(count) else {
            throw ListPage.problem("last", "is a number from \(Self.counts.lowerBound) to \(Self.counts.upperBound)")
        }
        self = .newest(count)
    }

    /// Reads `latest`, `earliest`, `last`, an RFC 3339 time, or a duration, which counts back from now.
    ///
    /// - Throws: `since-invalid` for any other text.
    init(_ text: String, now: Timestamp) throws(Problem) {
        switch text {
        case "latest": self = .latest
        case "earliest": self = .earliest
        case "last": self = .last
        default:
            if let duration = Duration(text: text) {
                self = .moment(now.advanced(byMilliseconds: -duration.milliseconds))
                return
            }
            guard let moment = Timestamp(rfc3339: Query.restoringPlus(text)) else {
                throw Problem(
                    .badRequest,
                    code: "since-invalid",
                    detail: "\"since\" is latest, earliest, last, a time such as 2026-11-20T23:19:00Z, or a duration "
                        + "such as 10m or 1h30m, of at most 36500d.",
                    parameter: "since"
                )
            }
            self = .moment(moment)
        }
    }
}

extension EventLog {
    /// The position to read on from.
    ///
    /// - Parameter types: what counts as one of the newest events; it does not matter to other beginnings.
    func position(
        of since: Since,
        for topics: [TopicPattern],
        types: EventTypes = EventTypes([])
    ) async throws(EventLogError) -> Position {
        switch since {
        case .latest: return tail
        case .earliest: return .start
        case .last:
            guard let newest = try await newest(matching: topics) else { return tail }
            return Position(newest.rawValue - 1)
        case .moment(let moment): return try await position(since: moment)
        case .newest(let count): return try await position(beforeNewest: count, matching: topics, types: types.names)
        }
    }
}
