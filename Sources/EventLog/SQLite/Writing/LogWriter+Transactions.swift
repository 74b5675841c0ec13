internal import GRDB

/// The only place where transactions, and parts of them, begin and end: what they change in memory goes with them.
extension LogWriter {
    /// Runs a body in a transaction. If it throws, or the commit fails, the tables and ``WriterMemory`` are what they were.
    /// - Parameter isAwaited: whether the commit waits for the disk, if durability asks for it.
    func transaction<Value>(
        awaitingDisk isAwaited: Bool,
        _ db: Database,
        _ body: (WriterStatements) throws -> Value
    ) throws(EventLogError) -> Value {
        guard let statements else { throw .isClosed }
        var isWhole = false
        do {
            try waitForDisk(isAwaited, db)
            try statements.begin.run()
            try forgetHeld(db)
            let value = try body(statements)
            isWhole = true
            try statements.commit.run()
            keepMemory()
            return value
        } catch {
            // After some failures SQLite has rolled back by itself (https://www.sqlite.org/lang_transaction.html).
            if db.isInsideTransaction { try? statements.rollback.run() }
            memory.rollBack()
            if isWhole { overwrite(db, statements) }
            throw EventLogError(sqlite: error)
        }
    }

    /// Runs a body in a savepoint. If what it throws is its own fault alone, the tables and ``WriterMemory`` are what they
    /// were before it, and the transaction goes on.
    /// - Throws: what fails the whole transaction.
    func savepoint<Value>(
        _ db: Database,
        _ statements: WriterStatements,
        _ body: () throws -> Value
    ) throws -> Result<Value, EventLogError> {
        try statements.savepoint.run()
        let mark = memory.mark
        do {
            let value = try body()
            try statements.release.run()
            return .success(value)
        } catch {
            guard db.isInsideTransaction, EventLogError(sqlite: error).failsOnlyItself else { throw error }
            try statements.rollbackToSavepoint.run()
            try statements.release.run()
            memory.rollBack(to: mark)
            return .failure(EventLogError(sqlite: error))
        }
    }

    /// The tables are what memory says.
    func keepMemory() {
        memory.commit()
        usage.set(
            topics: memory.held.topics,
            observers: memory.observers.count,
            keys: memory.held.keys
        )
    }

    /// A commit that failed may be in the write-ahead log as a whole, if it was the wait for the disk that failed, or what
    /// comes after. Nobody sees it, but whoever opens the log after a crash would. What is written next takes its place.
    private func overwrite(_ db: Database, _ statements: WriterStatements) {
        do {
            try statements.begin.run()
            try db.execute(sql: "UPDATE log SET revision = revision + 1")
            try statements.commit.run()
        } catch {
            if db.isInsideTransaction { try? statements.rollback.run() }
        }
    }

    private func waitForDisk(_ isAwaited: Bool, _ db: Database) throws {
        guard durability == .disk, isAwaited != waitsForDisk else { return }
        try db.execute(sql: "PRAGMA synchronous = \(isAwaited ? "FULL" : "NORMAL")")
        waitsForDisk = isAwaited
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
