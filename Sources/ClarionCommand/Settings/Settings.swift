import Clarion
import EventLog
import HTTPTransport
import MicroHTTP
import Notation
import Posix
import Webhooks
import Configuration
import FoundationEssentials
import Glibc
import Logging
import SystemPackage

/// The settings of a run: options over environment over file over defaults.
struct Settings {
    let hub: HubConfiguration
    let logLevel: Logger.Level
    let logFormat: LogFormat
    /// The host as it stands in a URL.
    let displayHost: String
    /// What an operator should know although it is allowed.
    let remarks: [String]

    /// - Throws: what is wrong with which setting.
    init(_ options: ServeOptions) throws(SettingsError) {
        let source = try SettingsSource(options)
        let host = try Self.host(source)
        let isOpen = try source.flag(.open)
        let credentials = try source.text(.credentials)
        guard HostName.isLoopback(host) || isOpen || credentials != nil else {
            throw SettingsError(
                """
                refusing to listen on \(host): anyone who reaches it could post and listen. Give --credentials, \
                or --open if that is meant, or listen on 127.0.0.1.
                """
            )
        }
        displayHost = host.contains(":") ? "[\(host)]" : host
        logLevel = try source.choice(.logLevel, from: Logger.Level.allCases.map { ($0.rawValue, $0) }) ?? .info

        logFormat = try source.choice(.logFormat, from: LogFormat.allCases.map { ($0.rawValue, $0) }) ?? .text

        var server = ServerConfiguration(host: host, serverName: "clarion")
        server.port = UInt16(try source.number(.port, in: 0...65_535) ?? 8080)
        // SQLite stores no more than 1,000,000,000 bytes in a row (SQLITE_MAX_LENGTH), and there is more to an event than its data.
        if let bytes = try source.size(.maxBody, in: 1...(900 << 20)) { server.maximumBodyBytes = bytes }
        server.bodyMemory = try Self.bodyMemory(source, maximumBodyBytes: server.maximumBodyBytes)
        if let bytes = try source.size(.connectionMemory, in: 2048...(1 << 20)) { server.connectionMemory = bytes }

        server.certificate = try Self.certificate(source)

        let durability =
            try source.choice(
                .durability,
                from: [("disk", Durability.disk), ("process", .process), ("memory", .memory)]
            )
            ?? .disk
        var hub = HubConfiguration(
            server: server,
            storage: try Self.storage(source, durability),
            durability: durability,
            retention: try Self.retention(source),
            webhooks: try Self.webhooks(source),
            disableFailingAfter: try source.duration(.webhooksDisableAfter, in: .milliseconds(1)...Self.century)
                ?? .seconds(5 * 86_400),
            masterKey: try Self.masterKey(source),
            keepAlive: try source.duration(.keepAlive, in: .seconds(1)...(.seconds(3600)), bareNumbersAreSeconds: true)
                ?? .seconds(15),
            maximumStreams: try source.number(.maxStreams, in: 0...1_000_000) ?? DescriptorBudget.ofProcess.streams,
            readerMemory: try source.size(.maxReaderMemory, in: (1 << 20)...(1 << 40)) ?? 256 << 20,
            publicFolder: try Self.publicFolder(source)
        )
        try Self.setLimits(of: &hub, source)
        hub.credentialsFile = credentials
        hub.allowedHosts = try source.parsedList(.allowHost, HostName.init)
        hub.allowedOrigins = try Self.allowedOrigins(source)
        hub.trustedProxies = try source.parsedList(.trustedProxy, CIDRBlock.init)
        hub.publicURL = try source.parsed(.publicURL, PublicURL.init)
        hub.cluster = try source.parsed(.log, ClusterAddress.init)
        self.hub = hub
        remarks = try Self.remarks(source)
    }

    private static func remarks(_ source: SettingsSource) throws(SettingsError) -> [String] {
        var remarks: [String] = []
        for setting in [Setting.masterKeyFile, .tlsKey] {
            guard let file = try source.text(setting), FileStatus(of: file)?.isReadableByAll == true else { continue }
            remarks.append("--\(setting.rawValue): Every user of this machine can read it. End that: chmod o-r \(file)")
        }
        return remarks
    }

    /// An address, or a name that this machine knows one for.
    private static func host(_ source: SettingsSource) throws(SettingsError) -> String {
        guard let host = try source.text(.host) else { return "127.0.0.1" }
        let isMeantAsAddress = host.utf8.allSatisfy { ".0123456789".utf8.contains($0) } || host.contains(":")
        guard isMeantAsAddress ? ListenAddress.isNumeric(host) : (try? HostName(host)) != nil else {
            throw SettingsError(.host, "\"\(host)\" is no address such as 127.0.0.1 or ::1")
        }
        return host
    }

    private static func storage(
        _ source: SettingsSource,
        _ durability: Durability
    ) throws(SettingsError) -> SQLiteEventLog.Storage {
        let folder = try source.text(.data)
        // A node of a cluster has nothing that must be found again, and takes a folder that is for such things.
        let isNode = try source.text(.log) != nil
        if isNode, durability == .memory {
            throw SettingsError(
                .durability,
                "cannot be memory with --log: it is the cluster's servers that keep the log"
            )
        }
        return isNode
            ? folder.map { .directory($0) } ?? .inMemory
            : durability == .memory ? .inMemory : .directory(folder ?? "data")
    }

    private static func setLimits(of hub: inout HubConfiguration, _ source: SettingsSource) throws(SettingsError) {
        if let count = try source.number(.maxStreamsPerClient, in: 1...1_000_000) {
            hub.maximumStreamsPerClient = count
        }
        if let rate = try source.rate(.rate, in: 0...1_000_000) { hub.changesPerSecond = rate }
        if let count = try source.number(.maxTopics, in: 1...1_000_000_000) { hub.maximumTopics = count }
        if let count = try source.number(.maxObservers, in: 0...1_000_000_000) { hub.maximumObservers = count }
        if let count = try source.number(.maxIdempotencyKeys, in: 0...1_000_000_000) {
            hub.maximumIdempotencyKeys = count
        }
    }

    private static func bodyMemory(
        _ source: SettingsSource,
        maximumBodyBytes: Int
    ) throws(SettingsError) -> Int {
        guard let bytes = try source.size(.maxBodyMemory, in: (1 << 16)...(1 << 40)) else {
            return max(64 << 20, 4 * maximumBodyBytes)
        }
        guard bytes >= 2 * maximumBodyBytes else {
            throw SettingsError(
                .maxBodyMemory,
                "must be twice --max-body at least: no body of that size would find room otherwise"
            )
        }
        return bytes
    }

    private static func certificate(_ source: SettingsSource) throws(SettingsError) -> ServerCertificate? {
        switch (try source.text(.tlsCert), try source.text(.tlsKey)) {
        case (nil, nil): return nil
        case (_?, nil): throw SettingsError(.tlsCert, "needs the key of the certificate, --tls-key")
        case (nil, _?): throw SettingsError(.tlsKey, "needs the certificate that the key is of, --tls-cert")
        case (let certificate?, let key?):
            do throws(ServerError) {
                return try ServerCertificate(certificateFile: certificate, keyFile: key)
            } catch {
                // A clock that is set after the start mends it.
                let status = error.passesWithTime ? EXIT_FAILURE : EX_USAGE
                throw SettingsError(.tlsCert, error.description, status: status)
            }
        }
    }

    private static func allowedOrigins(_ source: SettingsSource) throws(SettingsError) -> AllowedOrigins {
        // Nil is any.
        let origins = try source.parsedList(.allowOrigin) { text throws(HubError) in
            text == "*" ? nil : try Origin(text)
        }
        return AllowedOrigins(origins.compactMap(\.self), takesAny: origins.contains { $0 == nil })
    }

    /// Longer than anything that is waited for.
    private static let century = Duration.seconds(36_500 * 86_400)

    private static func publicFolder(_ source: SettingsSource) throws(SettingsError) -> String? {
        let given = try source.parsed(.public) { folder throws(HubError) in
            try PublicFiles.check(folder: folder)
            return folder
        }
        return given ?? PublicFolder.find()
    }

    private static func retention(_ source: SettingsSource) throws(SettingsError) -> Retention {
        var retention = Retention()
        retention.events = try source.number(.retentionEvents, in: Retention.eventBounds).map { Int64($0) }
        retention.bytes = try source.size(.retentionBytes, in: Retention.byteBounds).map { Int64($0) }
        let ages =
            Duration.milliseconds(Retention.ageBounds.lowerBound)...(.milliseconds(Retention.ageBounds.upperBound))
        retention.age = try source.duration(.retentionAge, in: ages)?.milliseconds
        return retention
    }

    /// The key itself comes from the environment or the file of settings; as an option, others could read it in the list
    /// of processes.
    private static func masterKey(_ source: SettingsSource) throws(SettingsError) -> MasterKey? {
        let file = try source.text(.masterKeyFile)
        let text: String
        if let file {
            text = try Self.masterKeyText(file)
        } else if let given = try source.text(.masterKey) {
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

    /// Far more than eight keys take: what is larger is another file.
    private static let maximumKeyBytes = 1 << 16

    private static func masterKeyText(_ file: String) throws(SettingsError) -> String {
        do throws(SystemError) {
            let bytes = try FileContents.read(file, atMost: maximumKeyBytes, takesPipes: true)
            if let text = bytes.flatMap({ String(bytes: $0, encoding: .utf8) }) { return text }
        } catch {
            guard error.number != EFBIG else {
                throw SettingsError(.masterKeyFile, "\(file) is larger than \(ByteCount(maximumKeyBytes).text)")
            }
        }
        throw SettingsError(.masterKeyFile, "cannot read \(file)")
    }

    private static func webhooks(_ source: SettingsSource) throws(SettingsError) -> WebhookConfiguration {
        var webhooks = WebhookConfiguration(userAgent: "clarion/\(Hub.version)")
        webhooks.httpsOnly = try source.flag(.webhooksHTTPSOnly)
        webhooks.allowEgress = try source.parsedList(.allowEgress, CIDRBlock.init)
        webhooks.proxy = try source.parsed(.egressProxy, EgressProxy.init)
        if let origin = try source.text(.webhooksOrigin) {
            let isName = origin.utf8.allSatisfy { $0.isLetter || $0.isDigit || ".-".utf8.contains($0) }
            guard isName, (1...253).contains(origin.utf8.count) else {
                throw SettingsError(.webhooksOrigin, "\"\(origin)\" is no domain name such as hub.example.com")
            }
            webhooks.origin = origin
        }
        if let file = try source.text(.webhooksCAFile) {
            if let fault = AuthoritiesFile.fault(file) { throw SettingsError(.webhooksCAFile, fault) }
            webhooks.certificateAuthorities = file
        }
        let waits = try source.list(.webhooksRetry)
        guard !waits.isEmpty else { return webhooks }
        let schedule = try waits.map { text throws(SettingsError) in
            guard let wait = Duration(text: text), wait > .zero else {
                throw SettingsError(.webhooksRetry, "\"\(text)\" is not a time such as 500ms, 15s, 1h30m or 7d")
            }
            return wait
        }
        webhooks.retryPolicy = RetryPolicy(schedule: schedule)
        return webhooks
    }
}
