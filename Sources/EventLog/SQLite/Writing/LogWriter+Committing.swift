internal import GRDB

extension LogWriter {
    /// What one transaction committed.
    struct CommittedGroup {
        /// The events that all posts added, in sequence order.
        var events: [Event] = []
        /// Their deliveries; nil if followers are not told of each.
        var deliveries: [CommittedDelivery]? = []
        /// What became of each request of the group, in order.
        var results: [Outcome] = []
    }

    /// What became of one request.
    enum Outcome {
        /// What was appended, or why only this append was refused.
        case append(Result<AppendReceipt, EventLogError>)
        /// What to call, or why only this change failed.
        case change(Result<@Sendable () -> Void, EventLogError>)
    }

    /// Commits a group: every post of it or none, and every change of it that does not fail by itself.
    ///
    /// On a full disk posts are refused, and changes that make room are carried out.
    func commit(_ group: [WriteRequest]) -> Result<CommittedGroup, EventLogError> {
        database.writeWithoutTransaction { db in
            let takesPosts = hasRoom(for: group.reduce(0) { $0 + $1.postedBytes }, db)
            defer { keepAdditions() }
            do throws(EventLogError) {
                return .success(try attempt(group, takingPosts: takesPosts, db))
            } catch {
                guard error.code == EventLogError.storageFull else { return .failure(error) }
                enterFull()
                guard group.contains(where: \.makesRoom) else { return .failure(error) }
            }
            do {
                return .success(try withinSlack(db) { try attempt(group, takingPosts: false, db) })
            } catch {
                return .failure(EventLogError(sqlite: error))
            }
        }
    }

    private func attempt(
        _ group: [WriteRequest],
        takingPosts: Bool,
        _ db: Database
    ) throws(EventLogError) -> CommittedGroup {
        let before = (tail, additions)
        do {
            return try write(group, takingPosts: takingPosts, db)
        } catch {
            // After some failures SQLite has rolled back by itself (https://www.sqlite.org/lang_transaction.html).
            if db.isInsideTransaction { try? statements?.rollback.run() }
            (tail, additions) = before
            added = [:]
            topics.forgetAll()
            told = []
            observersAreStale = true
            deferred.rollBack()
            fannedOut = nil
            throw EventLogError(sqlite: error)
        }
    }

    /// Runs a step of maintenance in a transaction of its own, which no disk is waited for: if the power goes, what was
    /// removed is there again, and is removed again.
    /// - Returns: whether it was committed.
    func maintenance(_ step: (Database) throws -> Void) -> Bool {
        database.writeWithoutTransaction { db in
            guard let statements else { return false }
            let before = additions
            do {
                if durability == .disk {
                    try db.execute(sql: "PRAGMA synchronous = NORMAL")
                    waitsForDisk = false
                }
                try withinSlack(db) {
                    try statements.begin.run()
                    try step(db)
                    try statements.commit.run()
                }
                keepDeferred()
                return true
            } catch {
                if db.isInsideTransaction { try? statements.rollback.run() }
                additions = before
                deferred.rollBack()
                fannedOut = nil
                if EventLogError(sqlite: error).code == EventLogError.storageFull { enterFull() }
                return false
            }
        }
    }

    private func write(_ group: [WriteRequest], takingPosts: Bool, _ db: Database) throws -> CommittedGroup {
        guard let statements else { throw EventLogError.isClosed }
        if durability == .disk, !waitsForDisk {
            try db.execute(sql: "PRAGMA synchronous = FULL")
            waitsForDisk = true
        }
        if observersAreStale {
            observers = try ObserverRegistry(db)
            observersAreStale = false
        }
        var committed = CommittedGroup()
        committed.events.reserveCapacity(group.reduce(0) { $0 + $1.events })
        let deliveriesBefore = lastDelivery
        try statements.begin.run()
        let time = nextTime()
        for request in group {
            switch request {
            case .append where !takingPosts: committed.results.append(.append(.failure(.isFull)))
            case .change(let change) where !takingPosts && isFull && !change.makesRoom:
                committed.results.append(.change(.failure(.isFull)))
            case .append(let drafts, let condition, _):
                let result = try append(drafts, if: condition, at: time, to: &committed.events, statements)
                committed.results.append(.append(result))
            case .change(let change):
                committed.results.append(.change(try perform(change, db, statements)))
            }
        }
        try statements.commit.run()
        keepDeferred()
        swap(&committed.deliveries, &told)
        let bytes = committed.events.reduce(0) { $0 + $1.data.count }
        schedule.committed(
            rows: max(
                committed.events.count,
                Int(lastDelivery - deliveriesBefore),
                bytes / MaintenanceSchedule.bytesPerRow
            )
        )
        return committed
    }

    /// Runs a change in a savepoint. Throws only what fails the whole transaction.
    private func perform(
        _ change: LogChange,
        _ db: Database,
        _ statements: WriterStatements
    ) throws -> Result<@Sendable () -> Void, EventLogError> {
        try statements.savepoint.run()
        let before = (added, additions)
        let mark = deferred.mark
        do {
            if change.needsDeliveries { try writeDeferred(db) }
            let announce = try change.perform(self, db)
            try statements.release.run()
            return .success(announce)
        } catch {
            guard db.isInsideTransaction, EventLogError(sqlite: error).failsOnlyItself else { throw error }
            try statements.rollbackToSavepoint.run()
            try statements.release.run()
            topics.forgetAll()
            (added, additions) = before
            deferred.rollBack(to: mark)
            fannedOut = nil
            return .failure(EventLogError(sqlite: error))
        }
    }
}

extension EventLogError {
    /// Whether the transaction can go on: the fault is with what was to be written, not with the storage, which would
    /// only fail again at the commit.
    fileprivate var failsOnlyItself: Bool {
        switch (cause as? DatabaseError)?.resultCode {
        case nil, .SQLITE_CONSTRAINT, .SQLITE_TOOBIG, .SQLITE_MISMATCH: true
        default: false
        }
    }
}
