import Foundation

/// Where the file of an open log is: under its name, as long as nobody removes or replaces it.
struct LogPlace: Sendable {
    private let path: String
    private let identity: [UInt64]?

    init(_ file: LogFile) {
        path = file.path
        identity = FileStatus(of: file.path)?.identity
    }

    /// Sees whether the name still leads to it. Without one it can be written to, until it is closed; then it is gone.
    /// - Throws: ``EventLogError`` with code `log-missing`.
    func check() throws(EventLogError) {
        let found = FileStatus(of: path)?.identity
        // Who may not look, or whose disk is at fault, cannot tell.
        guard found != identity, found != nil || errno == ENOENT || errno == ENOTDIR else { return }
        let what = found == nil ? "was removed" : "was replaced by another file"
        throw EventLogError(
            code: .missing,
            message: "\(path) \(what) while the hub runs: what is posted is lost when it stops."
        )
    }
}
