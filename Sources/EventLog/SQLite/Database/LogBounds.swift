internal import GRDB

/// Numbers that no log comes to. A disk may have made them of others, and nothing is worked out with them.
enum LogBounds {
    private static let most = Int64(1) << 60
    /// Ten thousand restorations leave more, see ``Restoration``.
    private static let lastPlace = Int64.max - 1 << 32
    /// Each of them has the numbers of its attempts.
    private static let lastDelivery = Int64(1) << 57

    /// - Throws: ``EventLogError`` with code `log-corrupt`.
    static func check(_ db: Database) throws {
        let counts = ["revision", "removals", "forgotten_removal", "time", "time_of_day", "held_topics", "held_keys"]
        // Places may come near the end of all numbers, by restorations.
        let places = ["high_water", "removed", "forgotten", "counted"]
        let ofLog =
            counts.map { "\($0) NOT BETWEEN -\(most) AND \(most)" }
            + places.map { "\($0) NOT BETWEEN 0 AND \(lastPlace)" }
        let counters = ["delivered", "failed", "pending", "dead", "failing_for"]
        let ofStats = counters.map { "\($0) NOT BETWEEN -\(most) AND \(most)" } + ["cursor < -\(most)"]
        let rows = [("log", ofLog), ("delivery_stats", ofStats)]
        for (table, conditions) in rows
        where try db.number("SELECT count(*) FROM \(table) WHERE \(conditions.joined(separator: " OR "))") > 0 {
            throw damage(of: table)
        }
        // At the ends of these, which cost nothing to look at: that is not for every row. Other numbers of theirs, and those of
        // topics, are worked out with so that none of them does harm.
        for (table, key, last) in [("event", "seq", lastPlace), ("delivery", "id", lastDelivery)] {
            let ends = ["min", "max"].map { "(SELECT \($0)(\(key)) FROM \(table)) NOT BETWEEN 0 AND \(last)" }
            if try db.number("SELECT ifnull(\(ends.joined(separator: " OR ")), 0)") != 0 { throw damage(of: table) }
        }
    }

    private static func damage(of table: String) -> EventLogError {
        EventLogError(code: .corrupt, message: "The log's file is damaged: numbers of \(table) cannot be.")
    }
}
