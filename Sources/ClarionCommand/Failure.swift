import ArgumentParser
import Clarion
import Glibc

/// Ends the program with one line about why.
enum Failure {
    /// The exit to throw, after the line was written to standard error.
    static func exit(_ status: Int32, _ reason: String) -> ExitCode {
        let line = "clarion: \(reason)\n"
        _ = unsafe write(STDERR_FILENO, line, line.utf8.count)
        return ExitCode(status)
    }
}

/// An error that a person can act on, told in one line.
protocol HasOneLineReason: Error {
    var reason: String { get }
}

extension EventLogError: HasOneLineReason {
    var reason: String { message }
}

extension HubError: HasOneLineReason {
    var reason: String { message }
}

extension ServerError: HasOneLineReason {
    var reason: String { description }
}
