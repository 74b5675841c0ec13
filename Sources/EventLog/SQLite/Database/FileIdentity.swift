import Foundation

/// Which file it is, whatever it is called.
struct FileIdentity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// Nil if there is none of that name. Symbolic links are followed.
    init?(of path: String) {
        var status = stat()
        // `unsafe`: stat(2) fills the structure that it is lent.
        guard unsafe stat(path, &status) == 0 else { return nil }
        (device, number) = (UInt64(status.st_dev), UInt64(status.st_ino))
    }
}
