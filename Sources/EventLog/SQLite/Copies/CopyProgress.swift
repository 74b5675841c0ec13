internal import GRDB

/// How far a log has come that is opened as a copy: as its file has it, or as it is read through a write-ahead log.
///
/// A frame of a write-ahead log does not say which file it belongs to: SQLite lays it over whatever has the name. A hub
/// commits that a copy is none any more, and moves that into the file before it gives anything out. If it ended in
/// between, then the mark is still in the file, and what counts is beside it. That log is told from any other by what it
/// says of the copy.
struct CopyProgress: Sendable {
    let isMarked: Bool
    let version: Int
    let epoch: String
    let tail: Int64
    let removals: Int64
    let restoration: Restoration?

    /// Its newest event of before a place, which is where the copy goes on.
    let newest: Int64
}

extension CopyProgress {
    /// - Parameter place: where the copy goes on; nil for where it last did.
    init(_ db: Database, goingOnAfter place: Int64? = nil) throws {
        let restoration = try Restoration.last(db)
        let place = place ?? restoration?.position ?? .max
        self.init(
            isMarked: try CopyMark.isSet(db),
            version: try SchemaVersion.version(of: db),
            epoch: try String.fetchOne(db, sql: "SELECT epoch FROM log") ?? "",
            tail: try LogReader.tail(db),
            removals: try db.number("SELECT removals FROM log"),
            restoration: restoration,
            newest: try Int64.fetchOne(db, sql: "SELECT max(seq) FROM event WHERE seq <= ?", arguments: [place]) ?? 0
        )
    }

    /// Whether this is what comes of opening a copy: its next restoration, or its tables brought up to date for one.
    /// - Parameter copy: what the file says without the log beside it.
    func continues(_ copy: CopyProgress) -> Bool {
        guard epoch == copy.epoch else { return false }
        // Where the write-ahead log has no other header, this is the file's own, and so is the version.
        if isMarked { return version > copy.version }
        // A log that was a copy before says so of that time.
        guard let restoration, restoration != copy.restoration else { return false }
        // What was begun on an earlier copy of the log does not know what came to it after that. Once something was
        // removed it cannot be told by this.
        guard newest == copy.newest || removals > restoration.removal else { return false }
        // One more removal than the copy has; as many, and the same tail, if a loss of power has left a part of the file as
        // it was before a checkpoint, and a part as it was to be.
        return (copy.removals...copy.removals + 1).contains(restoration.removal) && restoration.position >= copy.tail
    }
}
