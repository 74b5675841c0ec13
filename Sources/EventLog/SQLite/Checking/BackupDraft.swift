import Foundation
import Posix

/// A copy in the making: under another name until it is whole.
package struct BackupDraft {
    let path: String
    private let target: String

    /// Makes an empty file.
    /// - Throws: ``EventLogError`` with code `copy-unwritable`.
    init(of target: String) throws(EventLogError) {
        self.target = target
        path = Self.path(of: target)
        discard()
        do throws(SystemError) {
            // Webhooks' secrets are in it, and nobody may have it be another file.
            let file = try FileDescriptor(path: path, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
            Self.give(file.number, as: target)
            file.close()
        } catch {
            throw EventLogError(code: .copyUnwritable, message: "\(target) cannot be made: \(error.reason).")
        }
    }

    /// Gives a new file to whom the one that it replaces belongs to, or its folder: the user that a hub runs as, most
    /// likely. Where that cannot be it stays root's, who can give it away later.
    private static func give(_ file: Int32, as path: String) {
        // With the slash: the folder may be named by a symbolic link, as a service's is that systemd makes a user for.
        let folder = URL(filePath: path).deletingLastPathComponent().path + "/"
        guard geteuid() == 0, let status = FileStatus(notFollowing: path) ?? FileStatus(of: folder) else { return }
        _ = fchown(file, status.owner.user, status.owner.group)
    }

    /// Gives it its name. It is on disk then, and so is the name.
    /// - Throws: ``EventLogError`` with code `copy-unwritable`.
    func finish() throws(EventLogError) {
        // `unsafe`: rename(2) reads the paths.
        guard unsafe rename(path, target) == 0 else {
            let reason = SystemError.reason(errno)
            throw EventLogError(code: .copyUnwritable, message: "\(target) cannot be replaced: \(reason).")
        }
        let folder = URL(filePath: target).deletingLastPathComponent().path
        guard let directory = try? FileDescriptor(path: folder, flags: O_RDONLY | O_DIRECTORY) else { return }
        // Some file systems have nothing to do for it, and say so.
        _ = fsync(directory.number)
        directory.close()
    }

    /// Takes away what is not finished.
    func discard() {
        for file in Self.files(of: target) { try? FileManager.default.removeItem(atPath: file) }
    }

    /// The files that may be there until it is finished, and are left if the program ends in the middle of it.
    package static func files(of target: String) -> [String] {
        ["", "-wal", "-shm", "-journal"].map { path(of: target) + $0 }
    }

    private static func path(of target: String) -> String { "\(target).\(getpid()).part" }
}
