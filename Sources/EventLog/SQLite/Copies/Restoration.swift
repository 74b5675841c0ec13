internal import GRDB

/// The last time that a log was opened as a copy of another, or after it was cut (``CutMark``): the other may have gone on, and what
/// it gave out after the copy was made is lost.
///
/// The sequence goes on far beyond that, at a place that is drawn, so that no position is given twice: not after what
/// is lost, and not after what came of another use of the same copy. The epoch stays, and with it the ids of what is in
/// the copy: what receivers have got already they know, and clients resume where they were. To those that come from
/// before the place the loss is told as a removal.
struct Restoration: Hashable, Sendable {
    /// Where the sequence went on: after this position.
    let position: Int64

    let removal: Int64

    /// Made when it is needed, so that logs from before need no other schema.
    static let schema = """
        CREATE TABLE restoration (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            position INTEGER NOT NULL,
            removal INTEGER NOT NULL
        )
        """

    /// What the log says of it; nil if it never was a copy.
    static func last(_ db: Database) throws -> Restoration? {
        guard try db.tableExists("restoration") else { return nil }
        return try db.cached("SELECT position, removal FROM restoration").first {
            Restoration(position: $0[0], removal: $0[1])
        }
    }

    /// Has the log go on, in the transaction that this is called in.
    static func begin(_ db: Database) throws {
        if try !db.tableExists("restoration") { try db.execute(sql: schema) }
        let position = drawPosition(beyond: try LogReader.tail(db))
        try db.run("UPDATE log SET high_water = ?1, removals = removals + 1", position)
        try db.run("INSERT OR REPLACE INTO restoration SELECT 1, ?1, removals FROM log", position)
    }

    /// A place in the nearest thousandth of the positions that are left, 2^53 at first: enough for thousands of
    /// restorations, each of the one before. Not the nearest millionth, 2^43: nobody has posted so much since the copy
    /// was made.
    static func drawPosition(beyond tail: Int64) -> Int64 {
        let furthest = (Int64.max - tail) >> 10
        return tail + .random(in: furthest >> 10...furthest)
    }
}
