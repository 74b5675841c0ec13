internal import GRDB

extension DeliveryWriter {
    /// How many deliveries one transaction renews: about 5 ms, which is what a post may have to wait for it.
    static let redeliveriesAtOnce = 500

    /// Has events delivered to an observer, again or for the first time.
    /// - Parameter createdAt: when it was registered, if it must be no other by that id.
    /// - Returns: how many; nil if the observer gets no deliveries.
    func redeliver(
        _ events: some Collection<Position>,
        to observer: ObserverID,
        createdAt: Timestamp?,
        at now: Timestamp
    ) throws -> Int? {
        guard let observer = observers[observer], observer.receives,
            createdAt ?? observer.createdAt == observer.createdAt
        else { return nil }
        let subscription = observer.subscription
        let renew = try db.cached(
            """
            UPDATE delivery SET state = \(LogSchema.pending), renewals = renewals + 1, attempts = 0, not_before = ?2,
                settled_at = NULL WHERE id = ?1
            """
        )
        let insert = try db.cached(
            """
            INSERT INTO delivery (observer, event, state, attempts, renewals, not_before, created_at)
            VALUES (?1, ?2, \(LogSchema.pending), 0, 1, ?3, ?4)
            """
        )
        var (count, added, revived) = (0, 0, 0)
        for event in events {
            // Whether it was to get it, anyhow and later.
            let isAwaited = try self.event.bind(event).first { row in
                event.rawValue > subscription.cursor && subscription.wants(row[0], type: row[1], at: event.rawValue)
            }
            guard let isAwaited else { continue }
            count += 1
            if let row = try find.bind(observer.key, event).first({ (id: $0.integer(0), state: $0.integer(1)) }) {
                try renew.bind(row.id, time.begunAt).run()
                if row.state != LogSchema.pending { added += 1 }
                if row.state == LogSchema.dead { revived += 1 }
            } else {
                // What was under way then, without a row, does not settle it.
                try insert.bind(observer.key, event, time.begunAt, isAwaited ? nil : now).run()
                added += 1
            }
        }
        try observers.count(observer.key, pending: added, dead: -revived)
        return count
    }

    /// Makes some pending deliveries of an observer dead letters, unless it receives any: those that have rows first, then
    /// those that were never tried.
    /// - Parameter last: the newest event to take; later ones were not meant.
    /// - Returns: how many they were, and whether none is left.
    func abandon(upTo last: Int64, of observer: ObserverID, failure: String, at now: Timestamp) throws -> (
        count: Int, isAll: Bool
    ) {
        guard let observer = observers[observer], !observer.receives else { return (0, true) }
        try db.cached(
            """
            UPDATE delivery SET state = \(LogSchema.dead), failure = ?1, settled_at = ?2
            WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_state
                WHERE observer = ?3 AND state = \(LogSchema.pending) AND event <= ?4 LIMIT ?5
            )
            """
        ).bind(failure, now, observer.key, last, LogWriter.rowsAtOnce).run()
        let tried = db.changesCount
        var untried = (count: 0, isAll: false)
        if tried < LogWriter.rowsAtOnce {
            untried = try observers.writeUntried(
                of: observer,
                through: last,
                LogWriter.rowsAtOnce - tried,
                as: .dead,
                failure: failure,
                settledAt: now
            )
        }
        let count = tried + untried.count
        try observers.count(observer.key, pending: -tried, dead: count)
        return (count, untried.isAll)
    }
}
