import Foundation

/// What a database file is at a moment at which nobody has it open, as far as its folder tells: there is no write-ahead
/// log. Two that are equal have nothing written between them.
struct FileState: Equatable {
    private let identity: FileIdentity
    private let size: Int64
    private let changed: [Int]

    /// Nil if there is no such file, or somebody uses it or did so to the last.
    init?(atRest path: String) {
        for end in ["-wal", "-journal"] where FileManager.default.fileExists(atPath: path + end) { return nil }
        var status = stat()
        // `unsafe`: stat(2) fills the structure that it is lent.
        guard let identity = FileIdentity(of: path), unsafe stat(path, &status) == 0 else { return nil }
        self.identity = identity
        size = Int64(status.st_size)
        #if canImport(Darwin)
            let times = [status.st_mtimespec, status.st_ctimespec]
        #else
            let times = [status.st_mtim, status.st_ctim]
        #endif
        changed = times.flatMap { [$0.tv_sec, $0.tv_nsec] }
    }
}
