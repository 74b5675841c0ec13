import Foundation

/// A program to run to its end.
struct Command {
    let executable: URL
    var arguments: [String] = []

    /// How a run ended, and what it printed meanwhile.
    struct Outcome {
        /// The exit status; `nil` if it was ended by a signal, that of the deadline too.
        let status: Int32?
        /// What it wrote to standard output.
        let output: String
    }

    /// Runs it, and ends it at the deadline if it has not come to its end by then.
    ///
    /// - Parameter mergingErrors: whether the output includes what it wrote to standard error.
    func run(deadline: Duration = .seconds(120), mergingErrors: Bool = false) async throws -> Outcome {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        let pipe = Pipe()
        process.standardOutput = pipe
        if mergingErrors { process.standardError = pipe }
        let (end, ended) = AsyncStream.makeStream(of: Never.self)
        process.terminationHandler = { _ in ended.finish() }
        try process.run()

        let watchdog = Task {
            try await Task.sleep(for: deadline)
            // Not `terminate()`: a process that is started on a worker thread inherits its mask, which blocks that signal.
            kill(process.processIdentifier, SIGKILL)
        }
        for await _ in end {}
        watchdog.cancel()
        // What it wrote waits in the pipe, which holds more than any example prints: one that prints for ever meets the deadline.
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        return Outcome(
            status: process.terminationReason == .exit ? process.terminationStatus : nil,
            output: String(decoding: output, as: UTF8.self)
        )
    }
}
