import Configuration
import SystemPackage

/// Where settings come from, read one by one and checked.
struct SettingsSource {
    private let reader: ConfigReader

    init(_ options: ServeOptions) async throws(SettingsError) {
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "options", values: options.values),
            EnvironmentVariablesProvider().prefixKeys(with: "clarion"),
        ]
        let environment = ConfigReader(providers: providers)
        if let path = environment.string(forKey: "config") {
            do {
                providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
            } catch {
                throw SettingsError("--config: cannot read \(path) as a JSON file of settings")
            }
        }
        reader = ConfigReader(providers: providers)
    }

    func text(_ name: String) -> String? {
        reader.string(forKey: ConfigKey([name]))
    }

    func flag(_ name: String) -> Bool {
        reader.bool(forKey: ConfigKey([name])) ?? false
    }

    /// An array, or text with commas.
    func list(_ name: String) -> [String] {
        let array = reader.stringArray(forKey: ConfigKey([name])) ?? text(name).map { [$0] } ?? []
        return array.flatMap { $0.split(separator: ",").map { $0.filter { $0 != " " } } }
    }

    func number(_ name: String, in range: ClosedRange<Int>) throws(SettingsError) -> Int? {
        let key = ConfigKey([name])
        guard let number = reader.int(forKey: key) else {
            guard let text = reader.string(forKey: key) else { return nil }
            throw SettingsError("--\(name): \"\(text)\" is not a whole number")
        }
        guard range.contains(number) else {
            throw SettingsError("--\(name): \(number) is not from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Value>(_ name: String, from values: [(String, Value)]) throws(SettingsError) -> Value? {
        guard let text = text(name) else { return nil }
        guard let value = values.first(where: { $0.0 == text })?.1 else {
            throw SettingsError("--\(name): \"\(text)\" is none of \(values.map(\.0).joined(separator: ", "))")
        }
        return value
    }
}

extension ServeOptions {
    /// What was given, by the names that the other sources use.
    fileprivate var values: [AbsoluteConfigKey: ConfigValue] {
        let texts: [(String, String?)] = [
            ("host", host), ("port", port), ("data", data), ("durability", durability),
            ("webhooks-retry", webhooksRetry), ("keep-alive", keepAlive), ("max-body", maxBody),
            ("connection-memory", connectionMemory), ("public", self.public), ("log-level", logLevel),
            ("config", config),
        ]
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for case (let name, let text?) in texts {
            values[AbsoluteConfigKey([name])] = ConfigValue(
                Int(text).map { .int($0) } ?? .string(text),
                isSecret: false
            )
        }
        for (name, flag) in [("open", open), ("webhooks-https-only", webhooksHttpsOnly)] where flag {
            values[AbsoluteConfigKey([name])] = true
        }
        if !allowEgress.isEmpty {
            values[AbsoluteConfigKey(["allow-egress"])] = ConfigValue(.stringArray(allowEgress), isSecret: false)
        }
        return values
    }
}
