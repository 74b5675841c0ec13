import ArgumentParser
import Access
import CPosix
import Clarion
import EventLog
import Glibc
import Logging
import ServiceLifecycle
import UnixSignals

/// `clarion serve`: runs the hub until it is told to stop.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Run the hub.",
        discussion: """
            Every option can also be given in the environment, as CLARION_ and its name in capitals \
            (CLARION_PORT=9000, CLARION_ALLOW_EGRESS=10.0.0.0/8,127.0.0.0/8), or as a member of the JSON file that \
            --config names ({"port": 9000}). An option wins over the environment, and that over the file. What is unknown \
            in any of them is refused.

            Sizes are 65536, 64KiB, 1MiB or 2GiB; times are 500ms, 15s, 10m, 1h30m or 7d.

            SIGTERM and SIGINT drain and stop: no more posts, streams end, webhook attempts under way may finish, \
            the rest stays stored.
            """
    )

    @OptionGroup var options: ServeOptions

    func run() async throws {
        let settings: Settings
        do {
            settings = try Settings(options)
        } catch {
            throw Failure.exit(error.status, error.message)
        }
        let logger = Self.logger(settings)
        for remark in settings.remarks { logger.warning("\(remark)") }
        // glibc gives large blocks back to the system, until it has seen some freed: then those as large stay, and between
        // them what is left of others (mallopt(3)). A crowd of large events would be felt for ever.
        // The end of a heap stays up to a MiB of each: what a moment needs would go and come, each time with its pages.
        clarion_give_back_memory(128 << 10, 1 << 20)
        do {
            let hub = await HubService(settings, manager: ServiceManager(), logger: logger)
            try await Self.run(hub, logger: logger)
        } catch let error as CredentialsError {
            throw Self.exit(EX_USAGE, SettingsError(.credentials, error.message).message, settings, logger)
        } catch let error as any HasOneLineReason {
            throw Self.exit(EXIT_FAILURE, error.reason, settings, logger)
        }
    }

    /// Why the hub ends is a line like the others where programs read them.
    private static func exit(_ status: Int32, _ reason: String, _ settings: Settings, _ logger: Logger) -> ExitCode {
        guard settings.logFormat == .json else { return Failure.exit(status, reason) }
        logger.critical("\(reason)")
        return ExitCode(status)
    }

    /// Runs until SIGTERM or SIGINT, which are waited for before the hub is started.
    private static func run(_ hub: HubService, logger: Logger) async throws {
        var quiet = logger
        // What the group tells of its own steps is of no interest to an operator.
        quiet.logLevel = max(logger.logLevel, .error)
        let group = ServiceGroup(services: [hub], gracefulShutdownSignals: [.sigterm, .sigint], logger: quiet)
        try await group.run()
    }

    private static func logger(_ settings: Settings) -> Logger {
        var logger = Logger(label: "clarion") { settings.logFormat.handler($0) }
        logger.logLevel = settings.logLevel
        return logger
    }
}
