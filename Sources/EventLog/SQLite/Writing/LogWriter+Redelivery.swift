internal import GRDB

extension LogWriter {
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
        to observer: String,
        at now: Timestamp,
        _ db: Database
    ) throws -> Int? {
        guard let observer = memory.observers[observer], observer.receives else { return nil }
        let subscription = memory.observers.subscription(of: observer)
        let isThere = try PreparedStatement(
            cachedIn: db,
            "SELECT name, type FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1 AND seq > removed"
        )
        let find = try PreparedStatement(
            cachedIn: db,
            "SELECT id, state FROM delivery INDEXED BY delivery_event WHERE event = ?1 AND observer = ?2"
        )
        let renew = try PreparedStatement(
            cachedIn: db,
            """
            UPDATE delivery SET state = \(Schema.pending), renewals = renewals + 1, attempts = 0, not_before = ?2,
                settled_at = NULL WHERE id = ?1
            """
        )
        let insert = try PreparedStatement(
            cachedIn: db,
            """
            INSERT INTO delivery (observer, event, state, attempts, renewals, not_before, created_at)
            VALUES (?1, ?2, \(Schema.pending), 0, 1, ?3, ?4)
            """
        )
        var (count, added, revived) = (0, Int64(0), Int64(0))
        for event in events {
            isThere.bind(event.rawValue, at: 1)
            let found = try isThere.first { (topic: Topic(stored: $0.text(0)), type: $0.optionalText(1)) }
            guard let found else { continue }
            count += 1
            find.bind(event.rawValue, at: 1)
            find.bind(observer.key, at: 2)
            if let row = try find.first({ (id: $0.integer(0), state: $0.integer(1)) }) {
                renew.bind(row.id, at: 1)
                renew.bind(begunAt.milliseconds, at: 2)
                try renew.run()
                if row.state != Schema.pending { added += 1 }
                if row.state == Schema.dead { revived += 1 }
            } else {
                // What was under way then, without a row, does not settle it.
                let isAwaited =
                    event.rawValue > subscription.cursor
                    && subscription.wants(found.topic, type: found.type, at: event.rawValue)
                insert.bind(observer.key, at: 1)
                insert.bind(event.rawValue, at: 2)
                insert.bind(begunAt.milliseconds, at: 3)
                insert.bind(isAwaited ? nil : now.milliseconds, at: 4)
                try insert.run()
                added += 1
            }
        }
        try db.execute(
            sql: "UPDATE delivery_stats SET pending = pending + ?, dead = dead - ? WHERE observer = ?",
            arguments: [added, revived, observer.key]
        )
        return count
    }

    /// Makes some pending deliveries of an observer dead letters, unless it receives any: those that have rows first, then
    /// those that were never tried.
    /// - Parameter last: the newest event to take; later ones were not meant.
    /// - Returns: how many there were; fewer than ``rowsAtOnce`` if none is left.
    func abandon(upTo last: Int64, of observer: String, failure: String, at now: Timestamp, _ db: Database) throws
        -> Int
    {
        guard let observer = memory.observers[observer], !observer.receives else { return 0 }
        try db.execute(
            sql: """
                UPDATE delivery SET state = \(Schema.dead), failure = ?1, settled_at = ?2
                WHERE id IN (
                    SELECT id FROM delivery INDEXED BY delivery_state
                    WHERE observer = ?3 AND state = \(Schema.pending) AND event <= ?4 LIMIT ?5
                )
                """,
            arguments: [failure, now.milliseconds, observer.key, last, LogWriter.rowsAtOnce]
        )
        let tried = db.changesCount
        let untried = try abandonUntried(
            upTo: last,
            of: observer,
            atMost: LogWriter.rowsAtOnce - tried,
            failure: failure,
            at: now,
            db
        )
        try db.execute(
            sql: "UPDATE delivery_stats SET pending = pending - ?1, dead = dead + ?1 + ?2 WHERE observer = ?3",
            arguments: [tried, untried, observer.key]
        )
        return tried + untried
    }

    private func abandonUntried(
        upTo last: Int64,
        of observer: RegisteredObserver,
        atMost limit: Int,
        failure: String,
        at now: Timestamp,
        _ db: Database
    ) throws -> Int {
        if limit <= 0 { return 0 }
        let subscription = memory.observers.subscription(of: observer)
        var reader = EventReader(db, epoch: epoch)
        let search = EventReader.UntriedSearch(through: last, count: limit, scanning: limit)
        let found = try reader.allUntried(by: subscription, search)
        let insert = try PreparedStatement(
            cachedIn: db,
            """
            INSERT INTO delivery (observer, event, state, attempts, not_before, failure, settled_at)
            VALUES (?1, ?2, \(Schema.dead), 0, ?3, ?4, ?5)
            """
        )
        for event in found {
            insert.bind(observer.key, at: 1)
            insert.bind(event, at: 2)
            insert.bind(begunAt.milliseconds, at: 3)
            insert.bind(failure, at: 4)
            insert.bind(now.milliseconds, at: 5)
            try insert.run()
        }
        try moveCursor(of: observer, scanning: found.count + 64, db)
        return found.count
    }

    /// Deletes some deliveries that arrived, or became dead letters, long ago, with their attempts.
    /// - Parameter limit: how many at most.
    /// - Returns: whether there may be more.
    func purgeDeliveryHistory(_ limit: Int, at now: Timestamp, _ db: Database) throws -> Bool {
        let deliveries = try PreparedStatement(
            cachedIn: db,
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
        for (state, lifetime) in [(Schema.delivered, Self.deliveredLifetime), (Schema.dead, Self.deadLifetime)] {
            deliveries.bind(state, at: 1)
            deliveries.bind(now.milliseconds - lifetime, at: 2)
            deliveries.bind(Int64(left), at: 3)
            try deliveries.run()
            left -= db.changesCount
        }
        if left < limit { schedule.mayHaveFreePages = true }
        return left <= 0
    }
}
