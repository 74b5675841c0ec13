internal import GRDB

/// Which tables a log has: the number of what made them.
enum SchemaVersion {
    /// What this program makes.
    static let current = 11

    /// Begins with the number, as those of all versions do.
    private static let identifier = "11: positions of observers"

    /// The version whose tables are brought up to date.
    private static let before = 10

    /// Makes the tables of a log, or brings those of the version before up to date, in one transaction.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration(identifier) { db in
            if try db.tableExists("log") {
                try upgrade(db)
            } else {
                try LogSchema.make(db)
                try db.run("INSERT INTO log (id, epoch) VALUES (1, ?1)", LogEpoch.random().description)
            }
        }
        return migrator
    }

    /// The version of a log; 0 if it has none.
    /// - Throws: ``EventLogError`` with code `log-foreign` if it is later than this program, or too early for it.
    static func version(of db: Database) throws -> Int {
        let applied =
            try db.tableExists("grdb_migrations")
            ? Set(String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations")) : []
        if applied.isEmpty { return 0 }
        let version = applied.compactMap { step in Int(step.prefix { $0 != ":" }) }.max() ?? .max
        if before...current ~= version { return version }
        throw EventLogError(
            code: .foreign,
            message: version < before
                ? "The log was written by a version of this program from before its first release."
                : "The log was written by a later version of this program."
        )
    }

    /// Keeps the events where they are, and writes the other tables anew.
    private static func upgrade(_ db: Database) throws {
        let tables = ["log", "topic", "idempotency", "observer", "delivery_stats", "delivery", "attempt"]
        // `%w`: a name may be anything, and what comes after it would be run.
        let drops = try String.fetchAll(
            db,
            sql: """
                SELECT printf('DROP %s "%w"', type, name) FROM sqlite_master
                WHERE type IN ('index', 'trigger') AND sql IS NOT NULL AND name != 'event_topic'
                """
        )
        for drop in drops { try db.execute(sql: drop) }
        for table in tables { try db.execute(sql: "ALTER TABLE \(table) RENAME TO earlier_\(table)") }
        try LogSchema.make(db)
        for table in tables where table != "delivery_stats" {
            let columns = try db.columns(in: table).map(\.name).joined(separator: ", ")
            try db.execute(sql: "INSERT INTO \(table) (\(columns)) SELECT \(columns) FROM earlier_\(table)")
        }
        // Up to `fanned_out` every delivery has a row; of what came later none was tried that has none.
        try db.execute(
            sql: """
                UPDATE delivery SET state = \(LogSchema.pending) WHERE state = -1;
                INSERT INTO delivery_stats
                    SELECT observer, fanned_out, delivered, failed, pending, dead, last_status, last_failure,
                        last_attempt_at, failing_since, failing_for
                    FROM earlier_delivery_stats, earlier_log;
                INSERT INTO interest
                    SELECT key, fanned_out, iif(receives, topics, ''), iif(receives, types, '')
                    FROM observer, earlier_log WHERE name IS NOT NULL;
                """
        )
        for table in tables { try db.execute(sql: "DROP TABLE earlier_\(table)") }
        try db.execute(sql: "DELETE FROM grdb_migrations")
    }
}
