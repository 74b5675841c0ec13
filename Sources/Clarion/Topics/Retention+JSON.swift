import EventLog
import JSON
import MicroHTTP
import Notation

extension Retention {
    /// Reads `{"events", "age", "bytes"}`, each of which may be null or missing: then the hub's default bounds it;
    /// `bytes` also as text, such as `"1GiB"`.
    ///
    /// - Parameter pointer: where in the body the value stands.
    /// - Throws: `member-invalid`, `member-unknown`, `body-invalid`.
    init(_ value: JSONValue, at pointer: String) throws(Problem) {
        let members = try JSONMembers(value, known: ["events", "age", "bytes"], at: pointer)
        self.init()
        events = try members.integer("events", in: Retention.eventBounds).map { Int64($0) }
        bytes = try members.size("bytes", in: Retention.byteBounds).map { Int64($0) }
        if let text = try members.string("age") {
            guard let duration = Duration(text: text), Retention.ageBounds.contains(duration.milliseconds) else {
                throw members.problem("age", "must be a duration from 1s to 36500d, such as \"7d\" or \"1h30m\"")
            }
            age = duration.milliseconds
        }
    }

    /// The bounds as ``init(_:at:)`` reads them; null where there is none.
    var json: JSONValue {
        [
            "events": JSONValue(events),
            "age": JSONValue(age.map { Duration.milliseconds($0).text }),
            "bytes": JSONValue(bytes),
        ]
    }
}
