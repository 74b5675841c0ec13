internal import GRDB

/// What was added to a topic, and its counters do not show yet.
struct TopicAddition {
    private(set) var events: Int64 = 0
    private(set) var bytes: Int64 = 0
    private(set) var last: Int64 = 0

    mutating func add(_ position: Int64, bytes count: Int) {
        events += 1
        bytes += Int64(count)
        last = position
    }

    /// What the counters lack, by the numbers of the topics.
    static func all(_ db: Database) throws -> [Int64: TopicAddition] {
        let rows = try db.cached(
            """
            SELECT topic, count(*), sum(length(data)), max(seq) FROM event
            WHERE seq > (SELECT counted FROM log) GROUP BY topic
            """
        ).map { ($0.integer(0), TopicAddition(events: $0[1], bytes: $0[2], last: $0[3])) }
        return Dictionary(uniqueKeysWithValues: rows)
    }
}
