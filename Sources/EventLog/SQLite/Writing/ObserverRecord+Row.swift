extension ObserverRecord {
    /// What ``init(_:)`` reads, and the number of the observer after it.
    static let columns = "name, topics, types, receives, document, created_at, revision, key"

    /// What a row of ``columns`` says.
    init(_ row: PreparedStatement) {
        self.init(
            id: row[0],
            topics: ObserverRecord.topics(row[1]),
            types: ObserverRecord.lines(row[2]),
            receives: row[3],
            document: row[4],
            createdAt: row[5],
            revision: row[6]
        )
    }

    /// The patterns as lines: none contains a line break.
    var topicLines: String { topics.map(\.text).joined(separator: "\n") }

    /// The types as lines: none contains a line break (`docs/http-api.md`, `Event-Type`).
    var typeLines: String { types.joined(separator: "\n") }

    static func topics(_ text: String) -> [TopicPattern] { lines(text).map(TopicPattern.init(stored:)) }

    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }
}
