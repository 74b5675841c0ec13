internal import GRDB

extension LogWriter {
    /// What one transaction committed.
    struct CommittedGroup {
        /// The events that all posts added, in sequence order.
        var events: [Event] = []
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
            leaveFull()
            let takesPosts = diskSpace.admits(group.reduce(0) { $0 + $1.postedBytes }, writeAheadLog, db)
            do throws(EventLogError) {
                return .success(try write(group, takingPosts: takesPosts, db))
            } catch {
                guard error.code == EventLogError.storageFull else { return .failure(error) }
                diskSpace.enterFull(writeAheadLog)
                guard group.contains(where: \.makesRoom) else { return .failure(error) }
            }
            do {
                return .success(try diskSpace.withinSlack(db) { try write(group, takingPosts: false, db) })
            } catch {
                return .failure(EventLogError(sqlite: error))
            }
        }
    }

    /// Runs a step of maintenance in a transaction of its own, which no disk is waited for: if the power goes, what was
    /// removed is there again, and is removed again.
    /// - Returns: whether it was committed.
    func maintenance(_ step: (Database) throws -> Void) -> Bool {
        database.writeWithoutTransaction { db in
            do {
                try diskSpace.withinSlack(db) { try transaction(awaitingDisk: false, db) { _ in try step(db) } }
                return true
            } catch {
                if EventLogError(sqlite: error).code == EventLogError.storageFull { diskSpace.enterFull(writeAheadLog) }
                return false
            }
        }
    }

    private func write(
        _ group: [WriteRequest],
        takingPosts: Bool,
        _ db: Database
    ) throws(EventLogError) -> CommittedGroup {
        var committed = CommittedGroup()
        committed.events.reserveCapacity(group.reduce(0) { $0 + $1.events })
        try transaction(awaitingDisk: true, db) { statements in
            let time = nextTime()
            for request in group {
                switch request {
                case .append where !takingPosts: committed.results.append(.append(.failure(.isFull)))
                case .change(let change) where !takingPosts && diskSpace.isFull && !change.makesRoom:
                    committed.results.append(.change(.failure(.isFull)))
                case .append(let drafts, let condition, _):
                    let result = try append(drafts, if: condition, at: time, to: &committed.events, statements)
                    committed.results.append(.append(result))
                case .change(let change):
                    let result = try savepoint(db, statements) { try change.perform(self, db) }
                    committed.results.append(.change(result))
                }
            }
            try noteTime()
        }
        let bytes = committed.events.reduce(0) { $0 + $1.data.count }
        schedule.committed(rows: max(committed.events.count, bytes / MaintenanceSchedule.bytesPerRow))
        return committed
    }
}
