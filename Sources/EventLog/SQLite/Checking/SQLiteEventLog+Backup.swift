internal import GRDB

extension SQLiteEventLog {
    /// Copies a log, also one that another process has open: the copy is of one moment, and nobody waits for it.
    ///
    /// The write-ahead log is not begun anew while it is copied, so it grows by what is posted meanwhile. The copy's pages are
    /// looked at before it takes the place of a former one, which may be the last that is sound. It says
    /// that it is one: what the log gives out later is not given a second time by who opens the copy.
    /// - Parameters:
    ///   - directory: where the log is kept.
    ///   - path: the copy, which is whole or not there; a file of that name is replaced. Where root makes it, it belongs to
    ///     whom its folder does.
    /// - Throws: ``EventLogError`` with code `log-missing` if there is no log, `log-foreign` if the file is none of this
    ///   program or a copy beside the write-ahead log of another log, `copy-unwritable` if the copy cannot be made or would replace a file of a log or what is no file,
    ///   `log-corrupt`, `log-unwritable` or `log-failed` if the log cannot be read.
    public static func backup(directory: String, to path: String) throws(EventLogError) {
        let file = LogFile(directory: directory)
        try file.checkExistence()
        try file.checkHeader()
        let lock = try BackupTarget(path).claim(besides: file)
        defer { lock?.release() }
        let draft = try BackupDraft(of: path)
        defer { draft.discard() }
        do {
            try file.checkOverlay()
            try copy(file, to: draft)
        } catch {
            throw EventLogError(copying: error, to: path)
        }
        try draft.finish()
    }

    private static func copy(_ log: LogFile, to draft: BackupDraft) throws {
        let copy = try DatabaseQueue(path: draft.path)
        // In one step, which is one transaction of reading: otherwise each commit of the hub would begin it anew.
        try log.reading { try $0.backup(to: copy) }
        try copy.close()
        // As a file that does not change: nothing is made beside it.
        let finding = try LogFile.read("\(LogFile.uri(of: draft.path))?immutable=1") { copy in
            try copy.read { try String.fetchOne($0, sql: "PRAGMA quick_check(1)") } ?? "nothing"
        }
        guard finding == "ok" else {
            let message = "\(log.path) is damaged, and not copied: \(finding.inOneLine)."
            throw EventLogError(code: .corrupt, message: message)
        }
        try CopyMark.set(in: draft.path)
    }
}

extension EventLogError {
    /// An error of SQLite's in copying: the log is only read, so what cannot be written is the copy.
    fileprivate init(copying error: any Error, to path: String) {
        let failure = error as? DatabaseError
        let isOfCopy =
            failure.map { DatabaseError.ofWriting.contains($0.extendedResultCode) } ?? !(error is EventLogError)
        if failure?.resultCode == .SQLITE_FULL {
            self.init(code: .copyUnwritable, message: "There is no space on the disk of \(path).", cause: error)
        } else if isOfCopy {
            self.init(code: .copyUnwritable, message: "\(path) cannot be written.", cause: error)
        } else {
            self.init(sqlite: error)
        }
    }
}
