internal import GRDB

/// An event that is to be deleted.
struct EventRow {
    let position: Int64
    let bytes: Int64
    let hasDeliveries: Bool
    /// In milliseconds.
    var time: Int64 = 0

    /// Whether it was appended with a key that still lives.
    func hasKey(at now: Timestamp) -> Bool {
        position & Placement.keyed != 0 && time > now.milliseconds - IdempotencyKey.lifetime
    }

    /// Deletes it, and the deliveries of it.
    /// - Returns: how many rows that were, or as many as it cost.
    func delete(_ db: Database) throws -> Int {
        var rows = 1 + Int(bytes) / MaintenanceSchedule.bytesPerRow
        if hasDeliveries {
            try db.cached(
                """
                UPDATE delivery_stats SET pending = pending - 1 WHERE observer IN (
                    SELECT observer FROM delivery WHERE event = ?1 AND state = \(LogSchema.pending)
                )
                """
            ).bind(position).run()
            try db.run("DELETE FROM delivery WHERE event = ?1", position)
            rows += db.changesCount
        }
        try db.run("DELETE FROM event WHERE seq = ?1", position)
        return rows
    }
}
