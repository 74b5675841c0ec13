import Foundation
internal import GRDB

extension ObserverRecord {
    /// What a row of the table says.
    init(_ row: Row) {
        self.init(
            id: row["name"],
            topics: ObserverRecord.lines(row["topics"]).map(TopicPattern.init(stored:)),
            types: ObserverRecord.lines(row["types"]),
            receives: row["receives"],
            document: [UInt8](row["document"] as Data),
            createdAt: Timestamp(milliseconds: row["created_at"]),
            revision: row["revision"]
        )
    }

    /// The patterns as lines: none contains a line break.
    var topicLines: String { topics.map(\.text).joined(separator: "\n") }

    /// The types as lines: none contains a line break (`docs/http-api.md`, `Event-Type`).
    var typeLines: String { types.joined(separator: "\n") }

    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(Substring($0)) }
    }
}
