internal import GRDB

extension LogWriter {
    /// How many deliveries one transaction makes anew: about 5 ms, which is what a post may have to wait for it.
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
        let isThere = try PreparedStatement(
            cachedIn: db,
            "SELECT 1 FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1 AND seq > removed"
        )
        let find = try PreparedStatement(
            cachedIn: db,
            "SELECT id, state FROM delivery INDEXED BY delivery_event WHERE event = ?1 AND observer = ?2"
        )
        let renew = try PreparedStatement(
            cachedIn: db,
            """
            UPDATE delivery SET state = \(Schema.untried), renewals = renewals + 1, attempts = 0, not_before = ?2,
                settled_at = NULL WHERE id = ?1
            """
        )
        let insert = try PreparedStatement(
            cachedIn: db,
            """
            INSERT INTO delivery (id, observer, event, state, attempts, not_before, created_at)
            VALUES (?1, ?2, ?3, \(Schema.untried), 0, ?4, ?5)
            """
        )
        var (count, added, revived) = (0, Int64(0), Int64(0))
        for event in events {
            isThere.bind(event.rawValue, at: 1)
            guard try isThere.first({ _ in true }) != nil else { continue }
            count += 1
            find.bind(event.rawValue, at: 1)
            find.bind(observer.key, at: 2)
            if let found = try find.first({ (id: $0.integer(0), state: $0.integer(1)) }) {
                renew.bind(found.id, at: 1)
                renew.bind(begunAt.milliseconds, at: 2)
                try renew.run()
                if !Schema.isPending(found.state) { added += 1 }
                if found.state == Schema.dead { revived += 1 }
            } else {
                lastDelivery += 1
                insert.bind(lastDelivery, at: 1)
                insert.bind(observer.key, at: 2)
                insert.bind(event.rawValue, at: 3)
                insert.bind(begunAt.milliseconds, at: 4)
                insert.bind(now.milliseconds, at: 5)
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
                    -- What is missing of later events is worked out anew after a crash.
                    AND event <= (SELECT fanned_out FROM log)
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
