import Clarion
import Glibc
import Logging
import MicroHTTP
import ServiceLifecycle
import UnixSignals

/// The hub, from its start until the group that it is in is told to stop.
struct HubService: Service {
    private let settings: Settings
    private let manager: ServiceManager?
    /// Nil if SIGHUP is to end the program.
    private let hangups: UnixSignalsSequence?
    private let logger: Logger

    /// How long a start may still take when the program is to stop.
    private static let grace = Duration.seconds(1)

    init(_ settings: Settings, manager: ServiceManager?, logger: Logger) async {
        (self.settings, self.manager, self.logger) = (settings, manager, logger)
        // Before there is anything to tell it that it can be sent one: it would end the program. A service manager sends
        // it to a hub that has nothing to read again, too; who closes a terminal means to end what runs there.
        let isSent = settings.hub.credentialsFile != nil || settings.hub.server.certificate != nil || manager != nil
        hangups = isSent ? await UnixSignalsSequence(trapping: .sighup) : nil
    }

    func run() async throws {
        let hub = try await start()
        async let reloading: Void = reload(hub)
        let lines = Banner(of: settings, port: hub.port).lines(forTerminal: isatty(STDOUT_FILENO) == 1)
        try? Output.line(lines.joined(separator: "\n"))
        manager?.tell("READY=1", "STATUS=\(lines[0])", logger: logger)
        try await gracefulShutdown()
        manager?.tell("STOPPING=1", logger: logger)
        await hub.shutdown()
        await reloading
    }

    /// A stop that comes before the hub has begun waits a moment for that, since it may serve by then. What takes longer, such as
    /// a long log or servers that do not answer, is left as by a crash.
    private func start() async throws -> Hub {
        // Cancelled when it has begun.
        async let _ = endAfterGrace()
        return try await Hub.start(settings.hub, logger: logger)
    }

    private func endAfterGrace() async throws {
        try await gracefulShutdown()
        try await Task.sleep(for: Self.grace)
        _exit(EXIT_SUCCESS)
    }

    /// Reads the credentials and the certificate again on SIGHUP.
    private func reload(_ hub: Hub) async {
        guard let hangups else { return }
        let (hasCredentials, certificate) = (settings.hub.credentialsFile != nil, settings.hub.server.certificate)
        for await _ in hangups.cancelOnGracefulShutdown() {
            if hasCredentials { reloadCredentials(of: hub) }
            if let certificate { reload(certificate) }
            if !hasCredentials, certificate == nil { logger.notice("There are no credentials to read again.") }
        }
    }

    private func reloadCredentials(of hub: Hub) {
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
