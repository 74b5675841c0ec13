import ArgumentParser
import Access
import CPosix
import Clarion
import EventLog
import MicroHTTP
import Webhooks
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
        // glibc gives large blocks back to the system, until it has seen some freed: then those as large stay, and between
        // them what is left of others (mallopt(3)). A crowd of large events would be felt for ever.
        clarion_give_back_blocks(128 << 10)
        do {
            let manager = ServiceManager()
            // Before there is anything to tell it that it can be sent one: it would end the program. A service manager sends
            // it to a hub that has nothing to read again, too; who closes a terminal means to end what runs there.
            let certificate = settings.hub.server.certificate
            let isSentHangups = settings.hub.credentialsFile != nil || certificate != nil || manager != nil
            let hangups = isSentHangups ? await UnixSignalsSequence(trapping: .sighup) : nil
            let hub = try await Hub.start(settings.hub, logger: logger)
            let announcement = Banner(of: settings, port: hub.port)
            let service = HubService(hub: hub, announcement: announcement, manager: manager, logger: logger)
            let reloading = hangups.map {
                ReloadService(
                    hub: hub,
                    hasCredentials: settings.hub.credentialsFile != nil,
                    certificate: certificate,
                    hangups: $0,
                    logger: logger
                )
            }
            try await Self.run(service, reloading, logger: logger)
        } catch let error as CredentialsError {
            throw Failure.exit(EX_USAGE, SettingsError(.credentials, error.message).message)
        } catch let error as any HasOneLineReason {
            throw Failure.exit(EXIT_FAILURE, error.reason)
        }
    }

    /// Runs until SIGTERM or SIGINT.
    private static func run(_ hub: HubService, _ reloading: ReloadService?, logger: Logger) async throws {
        var services: [ServiceGroupConfiguration.ServiceConfiguration] = [.init(service: hub)]
        if let reloading { services.append(.init(service: reloading)) }
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

/// Reads the credentials and the certificate again on SIGHUP.
private struct ReloadService: Service {
    let hub: Hub
    let hasCredentials: Bool
    let certificate: ServerCertificate?
    let hangups: UnixSignalsSequence
    let logger: Logger

    func run() async throws {
        for await _ in hangups.cancelOnGracefulShutdown() {
            if hasCredentials { reloadCredentials() }
            if let certificate { reload(certificate) }
            if !hasCredentials, certificate == nil { logger.notice("There are no credentials to read again.") }
        }
    }

    private func reloadCredentials() {
        do {
            try hub.reloadCredentials()
            logger.notice("The credentials were read again.")
        } catch {
            logger.error("The former credentials stay in force: \(error.message)")
        }
    }

    private func reload(_ certificate: ServerCertificate) {
        do {
            try certificate.reload()
            logger.notice("The certificate was read again.")
        } catch {
            logger.error("The former certificate stays in force: \(error.description)")
        }
    }
}

/// The hub as a service: it has started already, and stops when the group is told to.
private struct HubService: Service {
    let hub: Hub
    /// Told when signals are being waited for, so that whoever has heard it can stop the program in order.
    let announcement: Banner
    let manager: ServiceManager?
    let logger: Logger

    func run() async throws {
        let lines = announcement.lines(forTerminal: isatty(STDOUT_FILENO) == 1)
        try? Output.line(lines.joined(separator: "\n"))
        manager?.tell("READY=1", "STATUS=\(lines[0])", logger: logger)
        try await gracefulShutdown()
        manager?.tell("STOPPING=1", logger: logger)
        await hub.shutdown()
    }
}
