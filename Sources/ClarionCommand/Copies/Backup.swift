import ArgumentParser
import Clarion
import EventLog
import Glibc
import Posix

/// `clarion backup`: a copy of a log, while a hub has it open.
struct Backup: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Copy the log in a data folder, also of a hub that runs.",
        discussion: """
            The copy is of one moment, and the hub goes on meanwhile. Of a log whose pages are damaged none is made, and a \
            former copy stays. To use it, put it into an empty folder as clarion.db, give it to the user that the hub \
            runs as, and start a hub with --data. \
            No event gets an id then that the log gave another after the copy was made. It holds what the log holds: \
            webhooks' secrets, too, unless a master key encrypts them.

            EXAMPLE
              clarion backup /backups/clarion-$(date +%F).db --data /var/lib/clarion
            """
    )

    @Argument(help: "The copy. A folder gets one that is called clarion.db; a former copy is replaced.")
    var file: String

    @OptionGroup var folder: LogFolder

    func run() async throws {
        let source = try folder.path
        let isFolder = FileStatus(of: file)?.kind == S_IFDIR
        let path = isFolder ? "\(file)/clarion.db" : file
        UnfinishedFiles.removeUponSignal(BackupDraft.files(of: path))
        do throws(EventLogError) {
            try SQLiteEventLog.backup(directory: source, to: path)
        } catch {
            throw Failure.exit(EXIT_FAILURE, error.reason)
        }
    }
}
