import Notation

/// How much a log holds, as it is counted in its tables: for metrics.
public struct LogFigures: Hashable, Sendable {
    /// Events of all topics that readers find.
    public var events: Int

    /// Bytes of the database, its free pages included, without the write-ahead log.
    public var bytes: Int

    /// Deliveries to durable observers that are still to be made.
    public var pendingDeliveries: Int

    /// Deliveries that were given up.
    public var deadDeliveries: Int

    /// Topics that count among those that the log may have.
    public var topics: Int

    /// Bytes that wait to be written, counting 256 for each event beside its data.
    public var queuedBytes: Int
}

extension SQLiteEventLog {
    /// Counts what the log holds. Reads one row for each topic and each durable observer, and what was posted since it was
    /// asked last.
    public func figures() async throws(EventLogError) -> LogFigures {
        var pass = UntriedPass()
        while true {
            let (next, figures) = try await readSlice { [pass, usage, sequencer] reader, backlogs in
                var pass = pass
                let db = reader.db
                guard try pass.advance(with: &reader, knowing: backlogs) else { return (pass, nil as LogFigures?) }
                func number(_ sql: String) throws -> Int { Int(try db.number(sql)) }
                let counted = try db.number("SELECT ifnull(sum(events), 0) FROM topic")
                let uncounted = try db.number("SELECT count(*) FROM event WHERE seq > (SELECT counted FROM log)")
                let figures = LogFigures(
                    events: Int(counted.addingClamped(uncounted)),
                    bytes: try number("PRAGMA page_count") * number("PRAGMA page_size"),
                    pendingDeliveries: try number("SELECT ifnull(sum(pending), 0) FROM delivery_stats") + pass.total,
                    deadDeliveries: try number("SELECT ifnull(sum(dead), 0) FROM delivery_stats"),
                    topics: usage.topics,
                    queuedBytes: sequencer.queuedBytes
                )
                return (pass, figures)
            }
            if let figures { return figures }
            pass = next
        }
    }
}
