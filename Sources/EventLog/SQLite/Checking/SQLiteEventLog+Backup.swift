import Foundation
internal import GRDB

extension SQLiteEventLog {
    /// Copies a log, also one that another process has open: the copy is of one moment, and nobody waits for it.
    ///
    /// The write-ahead log is not begun anew while it is copied, so it grows by what is posted meanwhile. The copy says that
    /// it is one: what the log gives out later is not given a second time by who opens the copy.
    /// - Parameters:
    ///   - directory: where the log is kept.
    ///   - path: the copy, which is whole or not there; a file of that name is replaced.
    /// - Throws: ``EventLogError`` with code `log-missing` if there is no log, `log-foreign` if the file is none of this
    ///   program, `copy-unwritable` if the copy would replace a file of a log or what is no file, `log-unwritable` if it
    ///   cannot be made, `log-corrupt`, `storage-full`, `log-failed`.
    public static func backup(directory: String, to path: String) throws(EventLogError) {
        let file = LogFile(directory: directory)
        try file.checkExistence()
        try file.checkHeader()
        let lock = try BackupTarget(path).claim(besides: file)
        defer { lock?.release() }
        let draft = "\(path).\(ProcessInfo.processInfo.processIdentifier).part"
        defer {
            for end in ["", "-wal", "-shm", "-journal"] { try? FileManager.default.removeItem(atPath: draft + end) }
        }
        // Webhooks' secrets are in it.
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
        guard FileManager.default.createFile(atPath: draft, contents: nil, attributes: attributes) else {
            throw EventLogError(code: .unwritable, message: "\(path) cannot be made.")
        }
        do {
            try copy(file, to: draft)
            try FileHandle(forUpdating: URL(filePath: draft)).synchronize()
            guard unsafe rename(draft, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
        } catch {
            throw EventLogError(sqlite: error)
        }
    }

    private static func copy(_ log: LogFile, to draft: String) throws {
        let copy = try DatabaseQueue(path: draft)
        // In one step, which is one transaction of reading: otherwise each commit of the hub would begin it anew.
        try log.reading { try $0.backup(to: copy) }
        try copy.close()
        try CopyMark.set(in: draft)
    }
}
