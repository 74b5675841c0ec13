import Glibc
import Locking
import Posix

/// Standard error, as a hub that serves writes its log there: it waits for nobody.
///
/// A collector that does not read, a terminal that is stopped (Ctrl-S) or a disk that is full would otherwise hold up every
/// thread that has something to tell, and with them all clients. The log has a gap then, and says how large, once
/// it is written on.
final class LogOutput: Sendable {
    static let standardError = {
        let file = FileDescriptor(STDERR_FILENO)
        return LogOutput(openedAnew(file) ?? file)
    }()

    private struct State {
        /// How many lines were lost since one was written.
        var lost = 0
        /// Whether the last of these was begun.
        var isCut = false
        /// How long lines have waited in the second that began then.
        var waited = (time: Duration.zero, since: ContinuousClock.now)
    }

    private let file: FileDescriptor
    private let patience: Duration
    private let state = Lock(State())

    /// What can be written to a pipe without waiting if anything can (`PIPE_BUF`, pipe(7)).
    private static let piece = 4096

    /// - Parameter patience: how long a line waits, if none is lost: a terminal takes a burst piece by piece, however fast it is
    ///   read. Within a second all lines wait no longer than five times that.
    init(_ file: FileDescriptor, patience: Duration = .milliseconds(20)) {
        self.file = file
        self.patience = patience
    }

    /// A terminal or a pipe opened once more, so that no write waits. A terminal that takes something (poll(2)) may take less
    /// than a line, and the rest of it would wait; what a pipe takes another process may have written meanwhile. The opening
    /// that was inherited stays as it is, because others have it, too.
    ///
    /// - Returns: nil for what does not wait, as a file, and for what cannot be opened: a terminal of another user.
    private static func openedAnew(_ file: FileDescriptor) -> FileDescriptor? {
        let path = "/proc/self/fd/\(file.number)"
        guard isatty(file.number) == 1 || FileStatus(of: path)?.kind == S_IFIFO else { return nil }
        return try? FileDescriptor(path: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY)
    }

    /// What the line says that stands where others were lost.
    static func gap(_ lost: Int) -> String {
        "\(lost) \(lost == 1 ? "line is" : "lines are") missing here: standard error could not be written to."
    }

    /// Writes a line, or loses it.
    ///
    /// - Parameters:
    ///   - line: with the line break at its end.
    ///   - gap: a line that says how many were lost before.
    func write(_ line: [UInt8], gap: (Int) -> [UInt8]) {
        state.withLock { state in
            var rest = (state.isCut ? [UInt8(ascii: "\n")] : []) + (state.lost > 0 ? gap(state.lost) : [])
            rest += line
            let count = rest.count
            while !rest.isEmpty {
                do throws(SystemError) {
                    guard file.takesBytes() else { throw SystemError("write", EAGAIN) }
                    rest.removeFirst(try file.write(some: rest.prefix(Self.piece)))
                } catch {
                    // What fails otherwise, such as a pipe that nobody reads any more, would fail again.
                    if error.number == EAGAIN, state.lost == 0, wait(&state) { continue }
                    state.lost += 1
                    state.isCut = state.isCut || rest.count < count
                    return
                }
            }
            (state.lost, state.isCut) = (0, false)
        }
    }

    /// Waits until something can be written again.
    private func wait(_ state: inout State) -> Bool {
        let began = ContinuousClock.now
        if began - state.waited.since > .seconds(1) { state.waited = (.zero, began) }
        guard state.waited.time < patience * 5 else { return false }
        defer { state.waited.time += ContinuousClock.now - began }
        return file.takesBytes(within: Int32(patience / .milliseconds(1)))
    }
}
