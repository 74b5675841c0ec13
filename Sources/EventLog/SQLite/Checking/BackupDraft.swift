import Foundation
import Posix

/// A copy in the making: under another name until it is whole.
package struct BackupDraft {
    var path: String { file.path }
    private let file: DraftFile
    private let target: String

    /// Makes an empty file.
    /// - Throws: ``EventLogError`` with code `copy-unwritable`.
    init(of target: String) throws(EventLogError) {
        self.target = target
        do throws(DraftFile.Failure) {
            file = try DraftFile(of: target)
        } catch {
            throw EventLogError(code: .copyUnwritable, message: "\(error.path) cannot be made: \(error.reason).")
        }
        // SQLite would take them for this one's.
        for former in Self.files(of: target).dropFirst() { try? FileManager.default.removeItem(atPath: former) }
        Self.give(file.file.number, as: target)
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
        do throws(SystemError) {
            try file.finish()
        } catch {
            throw EventLogError(code: .copyUnwritable, message: "\(target) cannot be replaced: \(error.reason).")
        }
    }

    /// Takes away what is not finished.
    func discard() {
        for file in Self.files(of: target) { try? FileManager.default.removeItem(atPath: file) }
    }

    /// The files that may be there until it is finished, and are left if the program ends in the middle of it.
    package static func files(of target: String) -> [String] {
        ["", "-wal", "-shm", "-journal"].map { DraftFile.path(of: target) + $0 }
    }
}
