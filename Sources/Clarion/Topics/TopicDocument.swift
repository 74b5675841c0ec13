import EventLog
import JSON

/// A topic as the API shows it.
enum TopicDocument {
    /// - Parameter counts: how many of each kind hear it.
    static func members(_ summary: TopicSummary, observers counts: [ObserverKind: Int]) -> [String: JSONValue] {
        let kinds = ObserverKind.allCases.map { ($0.rawValue, JSONValue(counts[$0] ?? 0)) }
        return [
            "name": .string(summary.topic.name),
            "events": JSONValue(summary.events),
            "bytes": JSONValue(summary.bytes),
            "firstId": JSONValue(summary.first?.description),
            "lastId": JSONValue(summary.last?.description),
            "observers": .object(Dictionary(uniqueKeysWithValues: kinds)),
            "retention": summary.retention?.json ?? .null,
        ]
    }
}
