import Glibc
import Posix

/// What a command prints of what it does, and goes on doing when it can no longer be printed.
struct Printout {
    private var failure: SystemError?

    /// Prints a line, of whose text nothing commands a terminal.
    mutating func line(_ text: String) {
        guard failure == nil else { return }
        do throws(SystemError) {
            try FileDescriptor(STDOUT_FILENO).write(Array("\(TerminalText.escaped(text))\n".utf8))
        } catch {
            failure = error
        }
    }

    /// To be called when all is done.
    ///
    /// - Parameter done: what was done, to be said if it could not be printed.
    /// - Throws: the exit then; not where nobody reads any more, as behind `head`.
    func end(_ done: String) throws {
        guard let failure, failure.number != EPIPE else { return }
        throw Failure.exit(EX_IOERR, "\(done), but standard output: \(failure.reason)")
    }
}
