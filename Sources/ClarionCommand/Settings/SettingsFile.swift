import Clarion
import Configuration
import Glibc
import JSON
import Posix

/// The JSON file of settings.
enum SettingsFile {
    /// Far more than settings take: what is larger is another file.
    private static let maximumBytes = 1 << 20

    /// Reads a file whose members are settings.
    ///
    /// - Throws: why it cannot be read, where it is no JSON, or which member is no setting.
    static func provider(path: String) throws(SettingsError) -> InMemoryProvider {
        let bytes = try contents(of: path)
        let document: JSONValue
        do throws(JSONFault) {
            document = try JSONValue(document: bytes)
        } catch {
            throw SettingsError("--config: \(path) \(error.predicate(in: bytes))")
        }
        guard case .object(let members) = document else {
            throw SettingsError("--config: \(path) is no JSON object, such as {\"port\": 9000}")
        }
        if let name = members.keys.filter({ !Setting.inFile.contains($0) }).min() {
            throw SettingsError(unknown: name, in: "in \(path)", known: Setting.inFile)
        }
        var values: [AbsoluteConfigKey: ConfigValue] = [:]
        for (name, value) in members {
            // A template whose variable is missing must not switch a setting off, such as that of the credentials.
            guard value != .null else {
                throw SettingsError("--\(name): is null in \(path): give it a value, or leave it out")
            }
            guard let content = ConfigContent(value) else {
                throw SettingsError("--\(name): must be a text, a number, true, false or a list of texts in \(path)")
            }
            values[AbsoluteConfigKey([name])] = ConfigValue(content, isSecret: false)
        }
        return InMemoryProvider(name: "file", values: values)
    }

    /// - Throws: the system's reason if it cannot be read.
    private static func contents(of path: String) throws(SettingsError) -> [UInt8] {
        do throws(SystemError) {
            if let bytes = try FileContents.read(path, atMost: maximumBytes, takesPipes: true) { return bytes }
        } catch {
            switch error.number {
            case ENOENT: throw SettingsError("--config: there is no file \(path)")
            case EFBIG: throw SettingsError("--config: \(path) is larger than \(ByteCount(maximumBytes).text)")
            default: throw SettingsError("--config: cannot read \(path): \(error.reason)")
            }
        }
        throw SettingsError("--config: \(path) is not a file")
    }
}

extension ConfigContent {
    /// Nil for what no setting is: an object, a list of other things than texts, a number with a fraction.
    fileprivate init?(_ value: JSONValue) {
        switch value {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .bool(flag)
        case .number(let number):
            guard let whole = Int(exactly: number) else { return nil }
            self = .int(whole)
        case .array(let elements):
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { return nil }
            self = .stringArray(texts)
        case .null, .object: return nil
        }
    }
}
