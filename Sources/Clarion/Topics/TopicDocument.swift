import EventLog
import JSON

/// A topic as the API shows it.
enum TopicDocument {
    /// - Parameter counts: how many of each kind hear it.
    static func members(_ summary: TopicSummary, observers counts: [ObserverKind: Int]) -> [String: JSONValue] {
        let kinds = ObserverKind.allCases.map { ($0.rawValue, JSONValue.number(Double(counts[$0] ?? 0))) }
        return [
            "name": .string(summary.topic.name),
            "events": .number(Double(summary.events)),
            "bytes": .number(Double(summary.bytes)),
            "firstId": summary.first.map { .string($0.description) } ?? .null,
            "lastId": summary.last.map { .string($0.description) } ?? .null,
            "observers": .object(Dictionary(uniqueKeysWithValues: kinds)),
            "retention": summary.retention?.json ?? .null,
        ]
    }
}
