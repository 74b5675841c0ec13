import EventLog
import MicroHTTP

/// Where to begin in the log, as `?since=` says it.
enum Since: Hashable, Sendable {
    /// With what comes next.
    case latest
    /// With the oldest event that is retained.
    case earliest
    /// With the newest event of the topics, whatever its type: the topic as an observable value.
    case last
    /// With the first event at or after a moment.
    case moment(Timestamp)

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
    func position(of since: Since, for topics: [TopicPattern]) async throws(EventLogError) -> Position {
        switch since {
        case .latest: return tail
        case .earliest: return .start
        case .last:
            guard let newest = try await newest(matching: topics) else { return tail }
            return Position(newest.rawValue - 1)
        case .moment(let moment): return try await position(since: moment)
        }
    }
}
