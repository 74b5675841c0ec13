import Foundation

/// What the system says of files.
enum FileOwner {
    /// What the system says of a file, of a symbolic link itself; nil if there is none.
    static func status(of path: String) -> stat? {
        var status = stat()
        // `unsafe`: lstat(2) fills the structure that it is lent.
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
