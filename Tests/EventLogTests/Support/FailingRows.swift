import GRDB
import Locking

@testable import EventLog

/// Has the n-th row that a log writes fail, by triggers on the writer's connection.
final class FailingRows: Sendable {
    /// How far a failure reaches (<https://www.sqlite.org/lang_createtrigger.html#the_raise_function>).
    enum Reach: Int, CaseIterable {
        /// The statement is undone.
        case statement = 1
        /// SQLite itself rolls the transaction back.
        case transaction
    }

    private struct State {
        /// The rows up to the one that fails; 0 if none does.
        var left = 0
        var reach = Reach.statement
        var hasFailed = false
    }

    private let state = Lock(State())

    /// All is well until ``arm(_:_:)``.
    init(_ log: SQLiteEventLog) async throws {
        try await log.change { [self] tables in
            let db = tables.db
            db.add(function: DatabaseFunction("failure", argumentCount: 0) { [self] _ in next() })
            for table in ["log", "topic", "event", "idempotency", "observer", "delivery", "delivery_stats", "attempt"] {
                for verb in ["INSERT", "UPDATE", "DELETE"] {
                    try db.execute(
                        sql: """
                            CREATE TEMP TRIGGER fail_\(verb)_\(table) BEFORE \(verb) ON main.\(table)
                            BEGIN
                                SELECT CASE failure()
                                    WHEN 1 THEN RAISE(ABORT, 'a row that fails')
                                    WHEN 2 THEN RAISE(ROLLBACK, 'a row that fails')
                                END;
                            END
                            """
                    )
                }
            }
        }
    }

    /// The n-th row from now fails, from 1.
    func arm(_ row: Int, _ reach: Reach) {
        state.withLock { $0 = State(left: row, reach: reach) }
    }

    /// All is well again.
    /// - Returns: whether a row failed.
    func disarm() -> Bool {
        state.withLock { state in
            defer { state = State() }
            return state.hasFailed
        }
    }

    private func next() -> Int {
        state.withLock { state in
            guard state.left > 0 else { return 0 }
            state.left -= 1
            guard state.left == 0 else { return 0 }
            state.hasFailed = true
            return state.reach.rawValue
        }
    }
}
