import Foundation

/// Whom a file is to belong to that root makes for somebody else.
enum FileOwner {
    /// Gives a new file to whom the one that it replaces belongs to, or its folder: the user that a hub runs as, most
    /// likely. Where that cannot be it stays root's, who can give it away later.
    static func give(_ file: Int32, as path: String) {
        // With the slash: the folder may be named by a symbolic link, as a service's is that systemd makes a user for.
        let folder = URL(filePath: path).deletingLastPathComponent().path + "/"
        guard geteuid() == 0, let owner = status(of: path) ?? status(of: folder) else { return }
        _ = fchown(file, owner.st_uid, owner.st_gid)
    }

    /// What the system says of a file, of a symbolic link itself; nil if there is none.
    static func status(of path: String) -> stat? {
        var status = stat()
        // `unsafe`: lstat(2) fills the structure that it is lent.
        return unsafe lstat(path, &status) == 0 ? status : nil
    }
}
