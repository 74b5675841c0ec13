import EventLog
import JSON

/// A topic as the API shows it.
enum TopicDocument {
    static func json(_ summary: TopicSummary, observers: ObserverCensus) -> JSONValue {
        let counts = observers.count(of: summary.topic)
        let kinds = ObserverKind.allCases.map { ($0.rawValue, JSONValue.number(Double(counts[$0] ?? 0))) }
        return .object([
            "name": .string(summary.topic.name),
            "events": .number(Double(summary.events)),
            "bytes": .number(Double(summary.bytes)),
            "firstId": summary.first.map { .string($0.description) } ?? .null,
            "lastId": summary.last.map { .string($0.description) } ?? .null,
            "observers": .object(Dictionary(uniqueKeysWithValues: kinds)),
            "retention": summary.retention?.json ?? .null,
        ])
    }
}
