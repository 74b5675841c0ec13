internal import GRDB

/// What a database has otherwise than a fresh log of its version: tables, indices and triggers.
struct SchemaComparison {
    /// What a log needs and this one has not, such as `index event_topic`; tables first, which take others with them.
    let missing: [String]
    /// What may change or refuse what is written: what this one has that is otherwise made, or an index or a trigger that no
    /// log has. Tables of others are let be.
    let foreign: [String]

    /// Compares the database with an empty one in memory. One of the version before is not looked at: it is written anew.
    init(_ db: Database, version: Int) throws {
        guard version == SchemaVersion.current else {
            missing = version > 0 ? [] : ["table grdb_migrations"]
            foreign = []
            return
        }
        let fresh = try DatabaseQueue()
        try SchemaVersion.migrator.migrate(fresh)
        let wanted = try fresh.read(Self.objects)
        try fresh.close()
        let found = try Self.objects(db)
        missing = wanted.keys.filter { found[$0] == nil }.sorted { one, other in
            (one.hasPrefix("table") ? 0 : 1, one) < (other.hasPrefix("table") ? 0 : 1, other)
        }
        // Of a log that was a copy once.
        let known = wanted.merging(["table restoration": Self.inOneForm(Restoration.schema)]) { $1 }
        foreign = found.filter { object, statement in
            guard let statementOfLog = known[object] else {
                return object.hasPrefix("trigger") || object.hasPrefix("index")
            }
            return statementOfLog != statement
        }.keys.sorted()
    }

    /// The statements that made the objects, by kind and name; those that SQLite and GRDB make for themselves left out.
    private static func objects(_ db: Database) throws -> [String: String] {
        let rows = try db.cached(
            """
            SELECT type || ' ' || name, ifnull(sql, '') FROM sqlite_master
            WHERE name NOT GLOB 'sqlite_*' AND name != 'grdb_migrations'
            """
        )
        // A damaged file may have two of a name, which are none of a log together.
        return try Dictionary(rows.map { ($0[0], Self.inOneForm($0[1])) }) { "\($0); \($1)" }
    }

    private static func inOneForm(_ statement: String) -> String {
        statement.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
}
