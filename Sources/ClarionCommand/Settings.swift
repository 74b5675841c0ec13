import Clarion
import Configuration
import Logging
import SystemPackage

/// The settings of a run: options over environment over file over defaults.
struct Settings {
    let hub: HubConfiguration
    let logLevel: Logger.Level
    /// The host as it stands in a URL.
    let displayHost: String

    /// - Throws: what is wrong with which setting.
    init(_ options: ServeOptions) async throws(SettingsError) {
        let source = try await SettingsSource(options)
        let host = try source.text("host") ?? "127.0.0.1"
        let isOpen = try source.flag("open")
        guard Loopback.contains(host) || isOpen else {
            throw SettingsError(
                """
                refusing to listen on \(host): anyone who reaches it could post and listen. Give --open if that is \
                meant, or listen on 127.0.0.1.
                """
            )
        }
        displayHost = host.contains(":") ? "[\(host)]" : host
        logLevel = try source.choice("log-level", from: Logger.Level.allCases.map { ($0.rawValue, $0) }) ?? .info

        var server = ServerConfiguration(host: host, serverName: "clarion")
        server.port = UInt16(try source.number("port", in: 0...65_535) ?? 8080)
        if let bytes = try source.number("max-body", in: 1...(1 << 30)) { server.maximumBodyBytes = bytes }
        if let bytes = try source.number("connection-memory", in: 2048...(1 << 20)) { server.connectionMemory = bytes }

        let durability =
            try source.choice(
                "durability",
                from: [("disk", Durability.disk), ("process", .process), ("memory", .memory)]
            )
            ?? .disk
        hub = HubConfiguration(
            server: server,
            storage: durability == .memory ? .inMemory : .directory(try source.text("data") ?? "data"),
            durability: durability,
            webhooks: try Self.webhooks(source),
            keepAlive: .seconds(try source.number("keep-alive", in: 1...3600) ?? 15),
            publicFolder: try source.text("public") ?? PublicFolder.find()
        )
    }

    private static func webhooks(_ source: SettingsSource) throws(SettingsError) -> WebhookConfiguration {
        var webhooks = WebhookConfiguration(userAgent: "clarion/\(Hub.version)")
        webhooks.httpsOnly = try source.flag("webhooks-https-only")
        for text in try source.list("allow-egress") {
            do {
                webhooks.allowEgress.append(try CIDRBlock(text))
            } catch {
                throw SettingsError("--allow-egress: \(error.message)")
            }
        }
        let waits = try source.list("webhooks-retry")
        guard !waits.isEmpty else { return webhooks }
        var schedule: [Duration] = []
        for text in waits {
            guard let wait = Duration(setting: text) else {
                throw SettingsError("--webhooks-retry: \"\(text)\" is not a time such as 500ms, 5s, 30m or 2h")
            }
            schedule.append(wait)
        }
        webhooks.retryPolicy = RetryPolicy(schedule: schedule)
        return webhooks
    }
}

/// A setting that cannot be used, in one line.
struct SettingsError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}

extension Duration {
    /// A whole number and a unit: ms, s, m, h or d.
    init?(setting text: String) {
        let digits = text.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int64(digits), number < 1 << 40 else { return nil }
        switch text.dropFirst(digits.count) {
        case "ms": self = .milliseconds(number)
        case "s": self = .seconds(number)
        case "m": self = .seconds(number * 60)
        case "h": self = .seconds(number * 3600)
        case "d": self = .seconds(number * 86_400)
        default: return nil
        }
    }
}
