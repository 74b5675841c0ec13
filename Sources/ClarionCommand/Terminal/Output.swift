import ArgumentParser
import ClarionClient
import Glibc
import Posix

/// Standard output, written to at once.
enum Output {
    /// Whether a person reads it.
    static let isTerminal = isatty(STDOUT_FILENO) == 1

    /// Whether colours are welcome (no-color.org).
    static let hasColours = isTerminal && Environment["NO_COLOR"] == nil && Environment["TERM"] != "dumb"

    static func line(_ text: String) throws {
        try write(Array(text.utf8) + [UInt8(ascii: "\n")])
    }

    /// Lines of JSON. On a terminal what would command it is written as JSON writes it, too.
    static func write(json: [UInt8]) throws {
        try write(isTerminal ? TerminalText.escapedJSON(lines: json) : json)
    }

    /// - Throws: the exit. Where nobody reads any more, as behind `head`, there is nothing left to do: for a command that does
    ///   more than print, see ``Printout``.
    static func write(_ bytes: [UInt8]) throws {
        do throws(SystemError) {
            try FileDescriptor(STDOUT_FILENO).write(bytes)
        } catch {
            guard error.number != EPIPE else { throw ExitCode(EXIT_SUCCESS) }
            throw Failure.exit(EX_IOERR, "standard output: \(error.reason)")
        }
    }
}

/// Words on standard error beside the results.
enum Remark {
    static let isTerminal = isatty(STDERR_FILENO) == 1

    static func line(_ text: String) {
        let line = "clarion: \(TerminalText.escaped(text))\n"
        try? FileDescriptor(STDERR_FILENO).write(Array(line.utf8))
    }

    /// Says what a list lacks that the nodes of a cluster have gathered.
    static func missing(from list: Listing) {
        for node in list.unreachable { line("warning: \(node) does not answer; who listens there is missing") }
    }

    /// Replaces the line where the cursor stands; only for people.
    static func progress(_ text: String) {
        guard isTerminal else { return }
        try? FileDescriptor(STDERR_FILENO).write(Array("\r\u{1B}[K\(TerminalText.escaped(text))".utf8))
    }

    /// Ends the line of progress.
    static func endProgress() {
        guard isTerminal else { return }
        try? FileDescriptor(STDERR_FILENO).write(Array("\r\u{1B}[K".utf8))
    }
}
