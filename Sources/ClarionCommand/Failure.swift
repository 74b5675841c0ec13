import Access
import ArgumentParser
import Clarion
import Glibc

/// Ends the program with one line about why.
enum Failure {
    /// The exit to throw, after the line was written to standard error.
    static func exit(_ status: Int32, _ reason: String) -> ExitCode {
        // Names of members and files may have anything in them, also line breaks.
        let line = "clarion: \(TerminalText.escaped(String(reason.map { $0.isNewline ? " " : $0 })))\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        return ExitCode(status)
    }
}

/// An error that a person can act on, told in one line.
protocol HasOneLineReason: Error {
    var reason: String { get }
}

extension EventLogError: HasOneLineReason {
    /// What happened, and what to do about it.
    var reason: String { (advice ?? code.advice).map { "\(message) \($0)" } ?? message }
}

extension EventLogError.Code {
    fileprivate var advice: String? {
        switch self {
        case .storageFull: "Make room on the disk of the data folder (see df and df -i), and start again."
        case .locked: "Stop the hub that runs there, or name another folder with --data."
        case .foreign: "Name another folder with --data; nothing in this one was changed."
        case .unwritable: "Name a folder with --data that this user may write."
        case .diskFailed: "See what the system says of the disk (dmesg), and move the folder to another one."
        case .corrupt: "Move clarion.db, clarion.db-wal and clarion.db-shm away, and put a backup in their place."
        default: nil
        }
    }
}

extension HubError: HasOneLineReason {
    var reason: String { message }
}

extension CredentialsError: HasOneLineReason {
    var reason: String { message }
}

extension ServerError: HasOneLineReason {
    var reason: String { description }
}
