internal import GRDB

/// Numbers that no log comes to. A disk may have made them of others, and nothing is worked out with them.
enum LogBounds {
    private static let most = Int64(1) << 60
    /// Ten thousand restorations leave more, see ``Restoration``.
    private static let lastPlace = Int64.max - 1 << 32

    /// - Throws: ``EventLogError`` with code `log-corrupt`.
    static func check(_ db: Database) throws {
        let counts = ["revision", "removals", "forgotten_removal", "time", "time_of_day", "held_topics", "held_keys"]
        // Places may come near the end of all numbers, by restorations.
        let places = ["high_water", "removed", "forgotten", "counted"]
        let ofLog =
            counts.map { "\($0) NOT BETWEEN -\(most) AND \(most)" }
            + places.map { "\($0) NOT BETWEEN 0 AND \(lastPlace)" }
        let rows = [("log", ofLog), ("delivery_stats", ["cursor < -\(most)"])]
        for (table, conditions) in rows
        where try db.number("SELECT count(*) FROM \(table) WHERE \(conditions.joined(separator: " OR "))") > 0 {
            throw EventLogError(code: .corrupt, message: "The log's file is damaged: numbers of \(table) cannot be.")
        }
    }
}
