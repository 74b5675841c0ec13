import Clarion
import Configuration
import FoundationEssentials
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

        var patience = Duration.seconds(5 * 86_400)
        if let text = try source.text("webhooks-disable-after") {
            guard let duration = Duration(text: text), duration > .zero else {
                throw SettingsError("--webhooks-disable-after: \"\(text)\" is not a time such as 12h or 5d")
            }
            patience = duration
        }

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
            retention: try Self.retention(source),
            webhooks: try Self.webhooks(source),
            disableFailingAfter: patience,
            masterKey: try Self.masterKey(source),
            keepAlive: .seconds(try source.number("keep-alive", in: 1...3600) ?? 15),
            readerMemory: try source.number("max-reader-memory", in: (1 << 20)...(1 << 40)) ?? 256 << 20,
            publicFolder: try source.text("public") ?? PublicFolder.find()
        )
    }

    private static func retention(_ source: SettingsSource) throws(SettingsError) -> Retention {
        var retention = Retention()
        retention.events = try source.number("retention-events", in: Retention.eventBounds).map { Int64($0) }
        retention.bytes = try source.number("retention-bytes", in: Retention.byteBounds).map { Int64($0) }
        if let text = try source.text("retention-age") {
            guard let age = Duration(text: text), Retention.ageBounds.contains(age.milliseconds) else {
                throw SettingsError("--retention-age: \"\(text)\" is not a time from 1s to 36500d, such as 30m or 7d")
            }
            retention.age = age.milliseconds
        }
        return retention
    }

    /// The key itself comes from the environment or the file of settings; as an option, others could read it in the list
    /// of processes.
    private static func masterKey(_ source: SettingsSource) throws(SettingsError) -> MasterKey? {
        let file = try source.text("master-key-file")
        let text: String
        if let file {
            guard let content = try? String(contentsOf: URL(filePath: file), encoding: .utf8) else {
                throw SettingsError("--master-key-file: cannot read \(file)")
            }
            text = content
        } else if let given = try source.text("master-key") {
            text = given
        } else {
            return nil
        }
        do {
            return try MasterKey(base64: text)
        } catch {
            throw SettingsError("\(file.map { "--master-key-file \($0)" } ?? "CLARION_MASTER_KEY"): \(error.message)")
        }
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
        if let url = try source.text("egress-proxy") {
            do {
                webhooks.proxy = try EgressProxy(url)
            } catch {
                throw SettingsError("--egress-proxy: \(error.message)")
            }
        }
        if let origin = try source.text("webhooks-origin") {
            let isName = origin.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
                    true
                default: false
                }
            }
            guard isName, (1...253).contains(origin.utf8.count) else {
                throw SettingsError("--webhooks-origin: \"\(origin)\" is no domain name such as hub.example.com")
            }
            webhooks.origin = origin
        }
        if let file = try source.text("webhooks-ca-file") {
            guard let text = try? String(contentsOf: URL(filePath: file), encoding: .utf8),
                text.contains("-----BEGIN CERTIFICATE-----")
            else { throw SettingsError("--webhooks-ca-file: \(file) is no readable PEM file of certificates") }
            webhooks.certificateAuthorities = file
        }
        let waits = try source.list("webhooks-retry")
        guard !waits.isEmpty else { return webhooks }
        var schedule: [Duration] = []
        for text in waits {
            guard let wait = Duration(text: text) else {
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
