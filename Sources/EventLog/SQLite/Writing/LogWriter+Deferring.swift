internal import GRDB

/// A delivery gets its row with its outcome, or when it is old, or before anything reads or changes rows of deliveries.
/// Until then the log of events says that it is there: of events after `log.fanned_out` every observer that matches has
/// a delivery, also one without a row. Observers do not change without all rows being written first.
extension LogWriter {
    /// How many get their rows at a time: less than a millisecond.
    private static let writtenAtOnce = 128

    /// How many get their rows at a time, at the most, if they are too many: some milliseconds.
    private static let mostAtOnce = 1_024

    /// How many are in memory whatever comes.
    private var mostInMemory: Int { max(4 * mostDeferred, 16) }

    enum Deferral {
        case few
        /// Some are to get their rows when there is time.
        case many
        /// Some are to get them now.
        case tooMany
    }

    /// How many deliveries have no row.
    var deferral: Deferral {
        if memory.deferred.backlog != nil { return .tooMany }
        let step = min(Self.writtenAtOnce, max(mostDeferred, 1))
        // One that stays without a row keeps the place of all after it.
        let surplus = max(memory.deferred.count - mostDeferred, (memory.deferred.span - mostInMemory) / 8)
        return surplus < step ? .few : surplus < step * 4 ? .many : .tooMany
    }

    /// Adds a delivery, which the transaction's commit makes last although no row is written.
    func deferDelivery(of event: Int64, to observer: RegisteredObserver) {
        lastDelivery += 1
        memory.deferred.add(id: lastDelivery, observer: observer.key, event: event, notBefore: begunAt.milliseconds)
    }

    /// Whether the deliveries of the event that is written now are left to be worked out later: a post of ten thousand
    /// events for a hundred webhooks is a million rows, which no other post is to wait for.
    func leavesDeliveries(of event: Int64) -> Bool {
        if memory.deferred.count >= mostInMemory { memory.deferred.leave(from: event) }
        return memory.deferred.backlog != nil
    }

    /// Writes the rows of all deliveries that have none.
    func writeDeferred(_ db: Database) throws {
        repeat {
            try writeRows(atMost: .max)
            try takeInBacklog(db)
        } while memory.deferred.count > 0 || memory.deferred.backlog != nil
        try noteFanOut()
    }

    /// Writes the rows of some deliveries that have none, the oldest first.
    /// - Parameter isInTheWay: asked now and then whether to leave the rest for another time.
    private func writeDeferred(atMost limit: Int, unless isInTheWay: () -> Bool = { false }, _ db: Database) throws {
        if memory.deferred.count < mostInMemory / 2 { try takeInBacklog(db) }
        try writeRows(atMost: limit, unless: isInTheWay)
        try noteFanOut()
    }

    /// Writes some rows of the backlog.
    /// - Returns: whether deliveries of an event up to that one are still to be worked out.
    func writeBacklog(upTo event: Int64, _ db: Database) throws -> Bool {
        guard let first = memory.deferred.backlog, first <= event else { return false }
        try writeDeferred(atMost: Self.mostAtOnce, db)
        return true
    }

    /// Writes the rows of those that are in memory.
    func writeDeferredInMemory() throws {
        try writeRows(atMost: .max)
        try noteFanOut()
    }

    /// Writes the rows of an observer's deliveries that have none.
    func writeDeferred(of observer: String) throws {
        guard let key = memory.observers[observer]?.key else { return }
        var rows = DeliveryRows()
        for delivery in memory.deferred.takeAll(of: key) { try rows.insert(delivery, statements) }
        try rows.count(statements)
        try noteFanOut()
    }

    private func writeRows(atMost limit: Int, unless isInTheWay: () -> Bool = { false }) throws {
        var rows = DeliveryRows()
        var left = limit
        while left > 0, left % 16 > 0 || !isInTheWay(), let delivery = memory.deferred.takeFirst() {
            left -= 1
            try rows.insert(delivery, statements)
        }
        try rows.count(statements)
    }

    /// Notes up to which event all deliveries have rows.
    func noteFanOut() throws {
        let position = memory.deferred.firstEvent.map { $0 - 1 } ?? memory.tail
        guard let statements, position != memory.fannedOut else { return }
        statements.noteFanOut.bind(position, at: 1)
        try statements.noteFanOut.run()
        memory.fannedOut = position
    }

    /// Writes the rows of the oldest deliveries that have none, more of them if they are too many by far.
    ///
    /// That touches a few pages for each observer, however many deliveries it has among them.
    /// - Parameter isInTheWay: asked now and then whether to leave some of them for another time.
    func writeOldestDeferred(unless isInTheWay: () -> Bool = { false }) {
        let surplus = memory.deferred.backlog == nil ? (memory.deferred.count - mostDeferred) / 2 : .max
        // On a full disk a step must find room in what the reserve left.
        let count = isFull ? MaintenanceSchedule.busyStep : min(max(Self.writtenAtOnce, surplus), Self.mostAtOnce)
        maintenanceFailed = !maintenance { db in try writeDeferred(atMost: count, unless: isInTheWay, db) }
    }

    /// Finds the deliveries again that had no row when the process ended.
    func recoverDeferred(_ db: Database) throws {
        let position = try PreparedStatement(db, "SELECT fanned_out FROM log").first { $0.integer(0) } ?? 0
        if position < memory.tail { memory.deferred.leave(from: position + 1) }
        try takeInBacklog(db)
        keepMemory()
    }

    /// How many events of the backlog are looked at in one step.
    private static let eventsAtOnce: Int64 = 1_024

    /// Works out the deliveries of the backlog's first events, as many as may be in memory.
    private func takeInBacklog(_ db: Database) throws {
        guard let start = memory.deferred.backlog else { return }
        let written = try PreparedStatement(
            cachedIn: db,
            "SELECT observer FROM delivery INDEXED BY delivery_event WHERE event = ?1"
        )
        let events = try PreparedStatement(
            cachedIn: db,
            """
            SELECT seq, name, type, time FROM event CROSS JOIN topic ON topic.id = event.topic AND seq > removed
            WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq
            """
        )
        let now = time.now
        var last = min(start + Self.eventsAtOnce - 1, memory.tail)
        events.bind(start, at: 1)
        events.bind(last, at: 2)
        try events.prefix(while: { row in
            guard memory.deferred.count < mostInMemory else {
                last = row.integer(0) - 1
                return false
            }
            let event = Event(
                id: EventID(epoch: epoch, position: Position(row.integer(0))),
                topic: Topic(stored: row.text(1)),
                type: row.optionalText(2),
                contentType: nil,
                data: [],
                attributes: nil,
                time: Timestamp(milliseconds: row.integer(3)),
                origin: nil
            )
            var served: Set<Int64> = []
            written.bind(event.position.rawValue, at: 1)
            try written.forEach { served.insert($0.integer(0)) }
            forEachRecipient(of: event) { observer in
                guard !served.contains(observer.key) else { return }
                lastDelivery += 1
                memory.deferred.add(
                    id: lastDelivery,
                    observer: observer.key,
                    event: event.position.rawValue,
                    // Events are stamped by the clock of the day, which may be ahead.
                    notBefore: min(event.time, now).milliseconds
                )
            }
            return true
        })
        memory.deferred.tookIn(upTo: last < memory.tail ? last + 1 : nil)
    }
}

/// Rows of deliveries that are being written, and how many of whom: counted once for each observer.
private struct DeliveryRows {
    private var counts: [Int64: Int64] = [:]

    mutating func insert(_ delivery: DeferredDeliveries.Entry, _ statements: WriterStatements?) throws {
        guard let row = statements?.insertDelivery else { throw EventLogError.isClosed }
        row.bind(delivery.id, at: 1)
        row.bind(delivery.observer, at: 2)
        row.bind(delivery.event, at: 3)
        row.bind(delivery.notBefore, at: 4)
        try row.run()
        counts[delivery.observer, default: 0] += 1
    }

    func count(_ statements: WriterStatements?) throws {
        guard let row = statements?.countPending else { throw EventLogError.isClosed }
        for (observer, count) in counts {
            row.bind(observer, at: 1)
            row.bind(count, at: 2)
            try row.run()
        }
    }
}
