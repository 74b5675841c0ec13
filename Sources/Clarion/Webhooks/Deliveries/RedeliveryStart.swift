import EventLog
import JSON
import MicroHTTP

/// Where in the log to begin to deliver again: the member `since` of a request, an RFC 3339 time, a duration, the id of
/// an event, which is the first then, or `earliest`.
struct RedeliveryStart {
    private enum Place {
        case since(Since)
        case event(EventID)
    }

    private let place: Place

    /// Reads a body that has the member and no other.
    ///
    /// - Throws: `since-invalid`, `member-invalid`, `member-unknown`, `body-invalid`.
    init(_ value: JSONValue, now: Timestamp) throws(Problem) {
        let members = try JSONMembers(value, known: ["since"])
        let text = try members.string("since")
        guard let text else { throw members.problem("since", "is required: \(Self.forms)") }
        if let id = EventID(text) {
            place = .event(id)
            return
        }
        guard let since = try? Since(text, now: now), since != .latest, since != .last else { throw Self.invalid }
        place = .since(since)
    }

    /// The position after which that is.
    ///
    /// - Throws: `since-invalid` if it is an event that this log never had.
    func position(in log: any EventLog, for topics: [TopicPattern]) async throws -> Position {
        switch place {
        case .since(let since): return try await log.position(of: since, for: topics)
        case .event(let id):
            guard id.epoch == log.epoch, id.position > .start, try await log.hasReached(id.position) else {
                throw Self.invalid
            }
            return Position(id.position.rawValue - 1)
        }
    }

    static let forms =
        "earliest, a time such as 2026-11-20T23:19:00Z, a duration such as 10m or 1h30m, or the id of an event of this log"

    private static var invalid: Problem {
        Problem(.badRequest, code: "since-invalid", detail: "\"since\" is \(forms).", pointer: "/since")
    }
}
