import Configuration
import SystemPackage

/// Where settings come from, first wins: options, environment, file. Read one by one and checked.
///
/// The providers are asked directly, not through a `ConfigReader`, which takes a value of the wrong type for none.
struct SettingsSource {
    private var providers: [any ConfigProvider]

    init(_ options: ServeOptions) async throws(SettingsError) {
        providers = [
            InMemoryProvider(name: "options", values: options.values),
            EnvironmentVariablesProvider().prefixKeys(with: "clarion"),
        ]
        guard let path = try text("config") else { return }
        do {
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
        } catch {
            throw SettingsError("--config: cannot read \(path) as a JSON file of settings")
        }
    }

    func text(_ name: String) throws(SettingsError) -> String? {
        guard case .string(let text) = try value(name, .string, "text") else { return nil }
        return text
    }

    func flag(_ name: String) throws(SettingsError) -> Bool {
        guard case .bool(let flag) = try value(name, .bool, "true or false") else { return false }
        return flag
    }

    /// An array; in the environment, text with commas.
    func list(_ name: String) throws(SettingsError) -> [String] {
        guard case .stringArray(let array) = try value(name, .stringArray, "a list of texts") else { return [] }
        return array.flatMap { $0.split(separator: ",").map { $0.filter { $0 != " " } } }
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        guard case .int(let number) = try value(name, .int, "a whole number") else { return nil }
        guard range.contains(number) else {
            throw SettingsError("--\(name): \(number) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Value>(_ name: String, from values: [(String, Value)]) throws(SettingsError) -> Value? {
        guard let text = try text(name) else { return nil }
        guard let value = values.first(where: { $0.0 == text })?.1 else {
            throw SettingsError("--\(name): \"\(text)\" is none of \(values.map(\.0).joined(separator: ", "))")
        }
        return value
    }

    private func value(_ name: String, _ type: ConfigType, _ expected: String) throws(SettingsError) -> ConfigContent? {
        let key = AbsoluteConfigKey([name])
        for provider in providers {
            do {
                if let value = try provider.value(forKey: key, type: type).value { return value.content }
            } catch {
                throw SettingsError("--\(name): must be \(expected)")
            }
        }
        return nil
    }
}

extension ServeOptions {
    /// What was given, by the names that the other sources use.
    fileprivate var values: [AbsoluteConfigKey: ConfigValue] {
        let given: [(String, ConfigContent?)] = [
            ("host", host.map { .string($0) }),
            ("port", port.map(Self.number)),
            ("data", data.map { .string($0) }),
            ("durability", durability.map { .string($0) }),
            ("retention-events", retentionEvents.map(Self.number)),
            ("retention-age", retentionAge.map { .string($0) }),
            ("retention-bytes", retentionBytes.map(Self.number)),
            ("allow-egress", allowEgress.isEmpty ? nil : .stringArray(allowEgress)),
            ("webhooks-https-only", webhooksHttpsOnly ? .bool(true) : nil),
            ("egress-proxy", egressProxy.map { .string($0) }),
            ("webhooks-origin", webhooksOrigin.map { .string($0) }),
            ("webhooks-ca-file", webhooksCaFile.map { .string($0) }),
            ("webhooks-retry", webhooksRetry.map { .stringArray([$0]) }),
            ("webhooks-disable-after", webhooksDisableAfter.map { .string($0) }),
            ("master-key-file", masterKeyFile.map { .string($0) }),
            ("keep-alive", keepAlive.map(Self.number)),
            ("max-body", maxBody.map(Self.number)),
            ("max-reader-memory", maxReaderMemory.map(Self.number)),
            ("connection-memory", connectionMemory.map(Self.number)),
            ("public", self.public.map { .string($0) }),
            ("open", open ? .bool(true) : nil),
            ("log-level", logLevel.map { .string($0) }),
            ("config", config.map { .string($0) }),
        ]
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for case (let name, let content?) in given {
            values[AbsoluteConfigKey([name])] = ConfigValue(content, isSecret: false)
        }
        return values
    }

    /// A number, or the text that is none: refused like one from any other source, in one line.
    private static func number(_ text: String) -> ConfigContent {
        Int(text).map { .int($0) } ?? .string(text)
    }
}
