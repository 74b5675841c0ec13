import Foundation
import Posix

/// Where the files of an open log are: under their names, as long as nobody removes or replaces them. SQLite
/// keeps the write-ahead log from opening to closing, whatever is moved out of it.
struct LogPlace: Sendable {
    private struct Place: Sendable {
        let path: String
        let identity: [UInt64]
        /// Whether it may have nothing in it.
        let mayBeEmpty: Bool
        let loss: String

        /// What has become of it; nil if it is what it was.
        var change: String? {
            guard let found = FileStatus(of: path) else {
                // Who may not look, or whose disk is at fault, cannot tell.
                return errno == ENOENT || errno == ENOTDIR ? "was removed" : nil
            }
            if found.identity != identity { return "was replaced by another file" }
            return found.size == 0 && !mayBeEmpty ? "was emptied" : nil
        }
    }

    private let places: [Place]

    init(_ file: LogFile) {
        places = [
            // What is open is written to until it is closed; then it is gone.
            ("", false, "is lost when it stops"),
            // What it has is moved into the database file when it is closed. After a crash nobody finds it.
            ("-wal", true, "is lost unless it stops in order: restart it"),
        ].compactMap { end, mayBeEmpty, loss in
            let path = file.path + end
            return FileStatus(of: path).map { found in
                Place(path: path, identity: found.identity, mayBeEmpty: mayBeEmpty, loss: loss)
            }
        }
    }

    /// Sees whether the names still lead to them, and the database file has something.
    /// - Throws: ``EventLogError`` with code `log-missing`.
    func check() throws(EventLogError) {
        for place in places {
            guard let change = place.change else { continue }
            throw EventLogError(
                code: .missing,
                message: "\(place.path) \(change) while the hub runs: what is posted \(place.loss)."
            )
        }
    }
}
