import Clarion
import Configuration
import Notation

/// Where settings come from, first wins: options, environment, file. Read one by one and checked.
///
/// The providers are asked directly, not through a `ConfigReader`, which takes a value of the wrong type for none.
struct SettingsSource {
    private var providers: [any ConfigProvider]

    /// - Throws: if the environment or the file has a setting that there is not, or the file cannot be read.
    init(_ options: ServeOptions) throws(SettingsError) {
        let environment = EnvironmentVariablesProvider(environmentVariables: try SettingsEnvironment.variables())
        providers = [
            InMemoryProvider(name: "options", values: options.values),
            environment.prefixKeys(with: "clarion"),
        ]
        guard let path = try text(.config) else { return }
        providers.append(try SettingsFile.provider(path: path))
    }

    func text(_ setting: Setting) throws(SettingsError) -> String? {
        guard case .string(let text) = try value(setting, [.string], "text") else { return nil }
        guard !text.isEmpty else { throw SettingsError(setting, "is empty: give it a value, or leave it out") }
        return text
    }

    func flag(_ setting: Setting) throws(SettingsError) -> Bool {
        guard case .bool(let flag) = try value(setting, [.bool], "true or false") else { return false }
        return flag
    }

    /// An array; in the environment, text with commas. Blanks around an element do not count.
    func list(_ setting: Setting) throws(SettingsError) -> [String] {
        guard case .stringArray(let array) = try value(setting, [.stringArray], "a list of texts") else { return [] }
        let elements = array.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false).map(\.trimmed) }
        guard !elements.contains("") else {
            let isAll = elements.count == 1
            throw SettingsError(setting, isAll ? "is empty: give it a value, or leave it out" : "has an empty element")
        }
        return elements
    }

    /// A text as what it stands for.
    func parsed<Value, Fault: ExplainedError>(
        _ setting: Setting,
        _ parse: (String) throws(Fault) -> Value
    ) throws(SettingsError) -> Value? {
        try text(setting).map { text throws(SettingsError) in try Self.parsed(setting, text, parse) }
    }

    /// A list whose elements stand for something.
    func parsedList<Value, Fault: ExplainedError>(
        _ setting: Setting,
        _ parse: (String) throws(Fault) -> Value
    ) throws(SettingsError) -> [Value] {
        try list(setting).map { text throws(SettingsError) in try Self.parsed(setting, text, parse) }
    }

    private static func parsed<Value, Fault: ExplainedError>(
        _ setting: Setting,
        _ text: String,
        _ parse: (String) throws(Fault) -> Value
    ) throws(SettingsError) -> Value {
        do {
            return try parse(text)
        } catch {
            throw SettingsError(setting, error.message)
        }
    }

    func number(_ setting: Setting, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = try scalar(setting, "a whole number") else { return nil }
        guard let number = Self.whole(text) else { throw SettingsError(setting, "must be a whole number") }
        guard range.contains(number) else {
            throw SettingsError(setting, "\(number) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    /// A number of bytes, such as `64KiB`, `1MiB` or `1048576`.
    func size(_ setting: Setting, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = try scalar(setting, "a size such as 64KiB or 1MiB") else { return nil }
        guard let bytes = ByteCount(text: text)?.bytes, range.contains(bytes) else {
            let (least, most) = (ByteCount(range.lowerBound).text, ByteCount(range.upperBound).text)
            throw SettingsError(
                setting,
                "\"\(text)\" is not a size from \(least) to \(most), such as 65536, 64KiB, 1MiB or 2GiB"
            )
        }
        return bytes
    }

    /// A time such as `15s`, `10m` or `1h30m`.
    ///
    /// - Parameter bareNumbersAreSeconds: whether `15` is also taken, as 15 s.
    func duration(
        _ setting: Setting,
        in range: ClosedRange<Duration>,
        bareNumbersAreSeconds: Bool = false
    ) throws(SettingsError) -> Duration? {
        guard let text = try scalar(setting, "a time such as 15s or 10m") else { return nil }
        let bare = bareNumbersAreSeconds ? Self.whole(text) : nil
        guard let duration = Duration(text: bare.map { "\($0)s" } ?? text), range.contains(duration) else {
            let (least, most) = (range.lowerBound.text, range.upperBound.text)
            throw SettingsError(
                setting,
                "\"\(text)\" is not a time from \(least) to \(most), written as in 500ms, 15s, 1h30m or 7d"
            )
        }
        return duration
    }

    /// A rate such as `10/s`, or `0`.
    func rate(_ setting: Setting, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard let text = try scalar(setting, "a rate such as 10/s") else { return nil }
        guard let number = Self.whole(text.hasSuffix("/s") ? String(text.dropLast(2)) : text), range.contains(number)
        else {
            throw SettingsError(
                setting,
                "\"\(text)\" is not a rate from \(range.lowerBound)/s to \(range.upperBound)/s, such as 10/s"
            )
        }
        return number
    }

    func choice<Value>(_ setting: Setting, from values: [(String, Value)]) throws(SettingsError) -> Value? {
        guard let text = try text(setting) else { return nil }
        guard let value = values.first(where: { $0.0 == text })?.1 else {
            throw SettingsError(setting, "\"\(text)\" is none of \(values.map(\.0).joined(separator: ", "))")
        }
        return value
    }

    /// A number as people write it: without a `+`, which Swift takes.
    private static func whole(_ text: String) -> Int? { text.hasPrefix("+") ? nil : Int(text) }

    /// A text, or a number of the file as text.
    private func scalar(_ setting: Setting, _ expected: String) throws(SettingsError) -> String? {
        switch try value(setting, [.string, .int], expected) {
        case .string(let text): text
        case .int(let number): "\(number)"
        default: nil
        }
    }

    /// The value of the first provider that has one, as the first of the types that it is of.
    private func value(
        _ setting: Setting,
        _ types: [ConfigType],
        _ expected: String
    ) throws(SettingsError) -> ConfigContent? {
        let key = AbsoluteConfigKey([setting.rawValue])
        for provider in providers {
            var isOfAnother = false
            for type in types {
                do {
                    if let value = try provider.value(forKey: key, type: type).value { return value.content }
                } catch {
                    isOfAnother = true
                }
            }
            if isOfAnother { throw SettingsError(setting, "must be \(expected)") }
        }
        return nil
    }
}

extension Substring {
    /// Without the blanks around it.
    fileprivate var trimmed: String {
        let rest = drop { $0 == " " }
        return rest.lastIndex { $0 != " " }.map { String(rest[...$0]) } ?? ""
    }
}

extension ServeOptions {
    /// What was given, by the names that the other sources use.
    fileprivate var values: [AbsoluteConfigKey: ConfigValue] {
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for setting in Setting.allCases {
            guard let content = content(of: setting) else { continue }
            values[AbsoluteConfigKey([setting.rawValue])] = ConfigValue(content, isSecret: false)
        }
        return values
    }

    private func content(of setting: Setting) -> ConfigContent? {
        switch setting {
        case .host: host.map { .string($0) }
        case .port: port.map { .string($0) }
        case .data: data.map { .string($0) }
        case .log: log.map { .string($0) }
        case .durability: durability.map { .string($0) }
        case .retentionEvents: retentionEvents.map { .string($0) }
        case .retentionAge: retentionAge.map { .string($0) }
        case .retentionBytes: retentionBytes.map { .string($0) }
        case .credentials: credentials.map { .string($0) }
        case .allowHost: allowHost.isEmpty ? nil : .stringArray(allowHost)
        case .allowOrigin: allowOrigin.isEmpty ? nil : .stringArray(allowOrigin)
        case .trustedProxy: trustedProxy.isEmpty ? nil : .stringArray(trustedProxy)
        case .publicURL: publicUrl.map { .string($0) }
        case .tlsCert: tlsCert.map { .string($0) }
        case .tlsKey: tlsKey.map { .string($0) }
        case .allowEgress: allowEgress.isEmpty ? nil : .stringArray(allowEgress)
        case .webhooksHTTPSOnly: webhooksHttpsOnly ? .bool(true) : nil
        case .egressProxy: egressProxy.map { .string($0) }
        case .webhooksOrigin: webhooksOrigin.map { .string($0) }
        case .webhooksCAFile: webhooksCaFile.map { .string($0) }
        case .webhooksRetry: webhooksRetry.map { .stringArray([$0]) }
        case .webhooksDisableAfter: webhooksDisableAfter.map { .string($0) }
        case .masterKeyFile: masterKeyFile.map { .string($0) }
        case .masterKey: nil
        case .keepAlive: keepAlive.map { .string($0) }
        case .maxBody: maxBody.map { .string($0) }
        case .maxBodyMemory: maxBodyMemory.map { .string($0) }
        case .maxReaderMemory: maxReaderMemory.map { .string($0) }
        case .maxStreams: maxStreams.map { .string($0) }
        case .maxStreamsPerClient: maxStreamsPerClient.map { .string($0) }
        case .rate: rate.map { .string($0) }
        case .maxTopics: maxTopics.map { .string($0) }
        case .maxObservers: maxObservers.map { .string($0) }
        case .maxIdempotencyKeys: maxIdempotencyKeys.map { .string($0) }
        case .connectionMemory: connectionMemory.map { .string($0) }
        case .public: self.public.map { .string($0) }
        case .open: open ? .bool(true) : nil
        case .logLevel: logLevel.map { .string($0) }
        case .logFormat: logFormat.map { .string($0) }
        case .config: config.map { .string($0) }
        }
    }
}
