import Foundation
import Posix

/// Where the files of an open log are: under their names, as long as nobody removes or replaces them. SQLite
/// keeps the write-ahead log from opening to closing, whatever is moved out of it.
struct LogPlace: Sendable {
    /// Each with its path, and how what is posted is lost without it.
    private let places: [(path: String, identity: [UInt64], loss: String)]

    init(_ file: LogFile) {
        places = [
            // What is open is written to until it is closed; then it is gone.
            ("", "is lost when it stops"),
            // What it has is moved into the database file when it is closed. After a crash nobody finds it.
            ("-wal", "is lost unless it stops in order: restart it"),
        ].compactMap { end, loss in
            FileStatus(of: file.path + end).map { (file.path + end, $0.identity, loss) }
        }
    }

    /// Sees whether the names still lead to them, and the database file has something.
    /// - Throws: ``EventLogError`` with code `log-missing`.
    func check() throws(EventLogError) {
        for (path, identity, loss) in places {
            guard let change = Self.change(of: path, identity) else { continue }
            throw EventLogError(
                code: .missing,
                message: "\(path) \(change) while the hub runs: what is posted \(loss)."
            )
        }
    }

    /// What has become of a file; nil if it is what it was.
    private static func change(of path: String, _ identity: [UInt64]) -> String? {
        guard let found = FileStatus(of: path) else {
            // Who may not look, or whose disk is at fault, cannot tell.
            return errno == ENOENT || errno == ENOTDIR ? "was removed" : nil
        }
        if found.identity != identity { return "was replaced by another file" }
        // A write-ahead log may have nothing in it.
        return found.size == 0 && !path.hasSuffix("-wal") ? "was emptied" : nil
    }
}
