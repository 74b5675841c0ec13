import ArgumentParser
import Access
import Clarion
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
            throw Failure.exit(EX_USAGE, error.message)
        }
        let logger = Self.logger(settings)
        do {
            // Before there is anything to tell it that it can be sent one: it would end the program.
            let hangups = settings.hub.credentialsFile == nil ? nil : await UnixSignalsSequence(trapping: .sighup)
            let hub = try await Hub.start(settings.hub, logger: logger)
            let announcement = Announcement(of: settings, port: hub.port).lines(forTerminal: isatty(STDOUT_FILENO) == 1)
            try await Self.serve(hub, announcing: announcement, hangups: hangups, logger: logger)
        } catch let error as any HasOneLineReason {
            throw Failure.exit(EXIT_FAILURE, error.reason)
        }
    }

    /// Runs until SIGTERM or SIGINT.
    private static func serve(
        _ hub: Hub,
        announcing lines: [String],
        hangups: UnixSignalsSequence?,
        logger: Logger
    ) async throws {
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [
            .init(service: HubService(hub: hub, announcement: lines))
        ]
        if let hangups {
            services.append(.init(service: CredentialsService(hub: hub, hangups: hangups, logger: logger)))
        }
        var quiet = logger
        // What the group tells of its own steps is of no interest to an operator.
        quiet.logLevel = max(logger.logLevel, .error)
        let group = ServiceGroup(
            configuration: .init(
                services: services,
                gracefulShutdownSignals: [.sigterm, .sigint],
                logger: quiet
            )
        )
        try await group.run()
    }

    private static func logger(_ settings: Settings) -> Logger {
        var logger = Logger(label: "clarion") { settings.logFormat.handler($0) }
        logger.logLevel = settings.logLevel
        return logger
    }
}

/// Reads the credentials again on SIGHUP.
private struct CredentialsService: Service {
    let hub: Hub
    let hangups: UnixSignalsSequence
    let logger: Logger

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            do {
                try hub.reloadCredentials()
                logger.notice("The credentials were read again.")
            } catch {
                logger.error("The former credentials stay in force: \(error.message)")
            }
        }
    }
}

/// The hub as a service: it has started already, and stops when the group is told to.
private struct HubService: Service {
    let hub: Hub
    /// Printed when signals are being waited for, so that whoever has read it can stop the program in order.
    let announcement: [String]

    func run() async throws {
        print(announcement.joined(separator: "\n"))
        // At once, also through a pipe.
        _ = fflush(nil)
        try await gracefulShutdown()
        await hub.shutdown()
    }
}
