import Foundation
internal import GRDB

/// Says of a file that it is a copy: the log that it was made of may have gone on, and have given positions to events
/// that the copy knows nothing of.
///
/// It stands in the `user_version` of the header, which nothing else of a log uses
/// (<https://www.sqlite.org/fileformat2.html#user_version_number>): a copy needs no table that its log has not.
enum CopyMark {
    /// `COPY`.
    private static let value: UInt32 = 0x434F_5059

    /// Where SQLite keeps the number, in bytes from the beginning of the file.
    private static let offset: UInt64 = 60

    /// Marks a file that nobody has open. Byte by byte: to SQLite this would be a transaction, with a write-ahead log.
    static func set(in path: String) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        // The most significant byte comes first.
        try file.write(contentsOf: stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> $0) })
        try file.synchronize()
    }

    static func isSet(_ db: Database) throws -> Bool {
        try UInt32.fetchOne(db, sql: "PRAGMA user_version") == value
    }

    /// - Parameter header: the first bytes of a file.
    static func isSet(inHeader header: [UInt8]) -> Bool {
        header[Int(offset)..<Int(offset) + 4].reduce(0) { $0 << 8 | UInt32($1) } == value
    }

    /// Takes it away, with the transaction that this is called in.
    static func remove(_ db: Database) throws { try db.execute(sql: "PRAGMA user_version = 0") }
}
