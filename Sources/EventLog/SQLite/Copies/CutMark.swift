import Foundation
import Posix

/// Says of a log that its write-ahead log was cut while a hub had it open: positions were given to events that it knows nothing of
/// any more, as with a copy. So at the next opening it goes on as one (``Restoration``).
///
/// It is a file beside the log, not a number in the log as ``CopyMark`` is: nothing can be written to that log.
struct CutMark: Sendable {
    private let path: String

    init(_ file: LogFile) { path = file.path + "-cut" }

    var isSet: Bool { FileStatus(notFollowing: path) != nil }

    /// Where no file can be made, what is lost is not told of.
    func set() { try? FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_NOFOLLOW).close() }

    /// Once the log has gone on. If it stays, the log goes on once more.
    func remove() {
        // `unsafe`: unlink(2) reads the path.
        unsafe unlink(path)
    }
}
