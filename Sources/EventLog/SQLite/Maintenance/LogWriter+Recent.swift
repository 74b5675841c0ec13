internal import GRDB

/// Deliveries that were committed lately lie in no index by observer, see ``Schema``: reading them means going through
/// all of them, so there must not be many.
extension LogWriter {
    /// How many are entered into the indexes at a time: about a millisecond.
    private static let recentAtOnce = 128

    enum RecentDeliveries {
        case few
        /// Some are to be entered into the indexes when there is time.
        case many
        /// They are to be entered now.
        case tooMany
    }

    /// How many deliveries are recent.
    var recentDeliveries: RecentDeliveries {
        let step = min(Int64(Self.recentAtOnce), mostRecent)
        let surplus = lastDelivery - mostRecent - settledThrough
        return surplus < max(step, 1) ? .few : surplus < step * 4 ? .many : .tooMany
    }

    /// Enters the oldest of the recent deliveries into the indexes by observer.
    ///
    /// That touches a few pages for each observer, however many deliveries it has among them.
    func ageDeliveries() {
        let last = lastDelivery - mostRecent
        let isDone = maintenance { db in
            let oldest = try PreparedStatement(
                cachedIn: db,
                "SELECT id FROM delivery INDEXED BY delivery_recent WHERE recent = 1 ORDER BY event, id LIMIT ?1"
            )
            oldest.bind(Int64(Self.recentAtOnce), at: 1)
            var found: [Int64] = []
            try oldest.forEach { found.append($0.integer(0)) }
            let row = try PreparedStatement(cachedIn: db, "UPDATE delivery SET recent = 0 WHERE id = ?1")
            for id in found where id <= last {
                row.bind(id, at: 1)
                try row.run()
            }
            if found.count < Self.recentAtOnce || found.contains(where: { $0 > last }) { settledThrough = last }
        }
        // A disk that is full has time until more have come.
        if !isDone { settledThrough = last }
    }
}
