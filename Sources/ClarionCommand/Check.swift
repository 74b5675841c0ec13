import ArgumentParser
import Clarion
import EventLog
import MicroHTTP
import Webhooks
import Glibc

/// `clarion check`: verifies a log that no hub has open.
struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Verify the log in a data folder.",
        discussion: """
            Reads the whole log and changes nothing. No hub may have it open: stop the hub, or check a copy.

            Prints what there is and "ok", and exits with 0; or a line for each thing that is wrong, and exits with 1. \
            A folder without a log, with another program's file or with one that cannot be read at all is told in one \
            line on standard error, with exit 1 too.
            """
    )

    @OptionGroup var folder: LogFolder

    func run() async throws {
        let path = try folder.path
        let report: LogReport
        do throws(EventLogError) {
            report = try SQLiteEventLog.check(directory: path)
        } catch {
            throw Failure.exit(EXIT_FAILURE, error.reason)
        }
        // Names are in it that the file has.
        let lines = (report.summary + report.findings).map(TerminalText.escaped)
        guard report.isSound else {
            // Also if nobody reads what is wrong.
            try? Output.line(lines.joined(separator: "\n"))
            throw ExitCode(EXIT_FAILURE)
        }
        try Output.line((lines + ["ok"]).joined(separator: "\n"))
    }
}

extension LogReport {
    /// What there is, in two lines.
    fileprivate var summary: [String] {
        let version = version == currentVersion ? "\(version)" : "\(version) (a hub brings it up to \(currentVersion))"
        return [
            "log \(epoch.map(\.description) ?? "unknown"), schema \(version), \(fileBytes) bytes on disk",
            """
            \(events) events of \(bytes) bytes on \(topics) topics up to position \(tail); \(observers) observers, \
            \(deliveries) deliveries, \(keys) idempotency keys
            """,
        ]
    }
}
