internal import GRDB

extension DeliveryWriter {
    /// How many deliveries one transaction renews: about 5 ms, which is what a post may have to wait for it.
    static let redeliveriesAtOnce = 500

    /// For how long a delivery is kept after it arrived, and after it became a dead letter, in milliseconds, unless its
    /// event goes earlier.
    static let deliveredLifetime: Int64 = 7 * 86_400_000
    static let deadLifetime: Int64 = 30 * 86_400_000

    /// Has events delivered to an observer, again or for the first time.
    /// - Returns: how many; nil if the observer gets no deliveries.
    func redeliver(
        _ events: some Collection<Position>,
        to observer: ObserverID,
        at now: Timestamp,
        _ db: Database
    ) throws -> Int? {
        guard let observer = observers[observer], observer.receives else { return nil }
        let subscription = observer.subscription
        let isThere = try db.cached(
            "SELECT name, type FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1 AND seq > removed"
        )
        let find = try db.cached(
            "SELECT id, state FROM delivery INDEXED BY delivery_event WHERE event = ?1 AND observer = ?2"
        )
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
            let isAwaited = try isThere.bind(event).first { row in
                event.rawValue > subscription.cursor && subscription.wants(row[0], type: row[1], at: event.rawValue)
            }
            guard let isAwaited else { continue }
            count += 1
            if let row = try find.bind(event, observer.key).first({ (id: $0.integer(0), state: $0.integer(1)) }) {
                try renew.bind(row.id, time.begunAt).run()
                if row.state != LogSchema.pending { added += 1 }
                if row.state == LogSchema.dead { revived += 1 }
            } else {
                // What was under way then, without a row, does not settle it.
                try insert.bind(observer.key, event, time.begunAt, isAwaited ? nil : now).run()
                added += 1
            }
        }
        try db.cached("UPDATE delivery_stats SET pending = pending + ?2, dead = dead - ?3 WHERE observer = ?1")
            .bind(observer.key, added, revived).run()
        return count
    }

    /// What one step has made dead letters.
    struct Abandoned {
        var count = 0
        /// Whether nothing is left.
        var isComplete = false
    }

    /// Makes some pending deliveries of an observer dead letters, unless it receives any: those that have rows first, then
    /// those that were never tried.
    /// - Parameter last: the newest event to take; later ones were not meant.
    func abandon(upTo last: Int64, of observer: ObserverID, failure: String, at now: Timestamp, _ db: Database) throws
        -> Abandoned
    {
        guard let observer = observers[observer], !observer.receives else { return Abandoned(isComplete: true) }
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
        var abandoned = Abandoned(count: tried)
        if tried < LogWriter.rowsAtOnce {
            var reader = EventReader(db, epoch: observers.events.epoch)
            let untried = try reader.untried(
                by: observer.subscription,
                in: EventReader.Stretch(after: 0, through: last),
                count: LogWriter.rowsAtOnce - tried,
                scanning: 4 * LogWriter.rowsAtOnce
            )
            try observer.insertUntried(untried.positions, as: LogSchema.dead, failure: failure, settledAt: now, db)
            try observers.setCursor(of: observer, to: untried.end ?? last, db)
            abandoned.count += untried.positions.count
            abandoned.isComplete = untried.end == nil
        }
        try db.cached("UPDATE delivery_stats SET pending = pending - ?2, dead = dead + ?3 WHERE observer = ?1")
            .bind(observer.key, tried, abandoned.count).run()
        return abandoned
    }

    /// Deletes some deliveries that arrived, or became dead letters, long ago, with their attempts.
    /// - Parameter limit: how many at most.
    /// - Returns: whether there may be more.
    func purgeHistory(
        _ limit: Int,
        at now: Timestamp,
        noting schedule: inout MaintenanceSchedule,
        _ db: Database
    ) throws -> Bool {
        let deliveries = try db.cached(
            """
            DELETE FROM delivery WHERE id IN (
                SELECT id FROM delivery INDEXED BY delivery_settled
                WHERE state > 0 AND state = ?1 AND settled_at <= ?2
                    -- A later event without a row was never tried.
                    AND event <= (SELECT cursor FROM delivery_stats WHERE delivery_stats.observer = delivery.observer)
                ORDER BY settled_at LIMIT ?3
            )
            """
        )
        var left = limit
        for (state, lifetime) in [(LogSchema.delivered, Self.deliveredLifetime), (LogSchema.dead, Self.deadLifetime)] {
            try deliveries.bind(state, now.milliseconds - lifetime, left).run()
            left -= db.changesCount
        }
        if left < limit { schedule.mayHaveFreePages = true }
        return left <= 0
    }
}

extension RegisteredObserver {
    /// Gives events that were never tried rows; what is pending is due at once, and before what is to be tried again.
    func insertUntried(
        _ events: [Int64],
        as state: Int64,
        failure: String? = nil,
        settledAt: Timestamp? = nil,
        _ db: Database
    ) throws {
        let insert = try db.cached(
            """
            INSERT INTO delivery (observer, event, state, attempts, not_before, failure, settled_at)
            VALUES (?1, ?2, ?3, 0, \(Timestamp.earliest.milliseconds), ?4, ?5)
            """
        )
        for event in events { try insert.bind(key, event, state, failure, settledAt).run() }
    }
}
