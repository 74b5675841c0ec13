public import EventLog
import JSON

/// An API key to be given to somebody: the key, and the entry of the credentials file that makes it count.
public struct NewKey: Sendable {
    /// `clk_` and 32 random characters of base62, which is 190 bits. To be shown once; not for logs.
    public let text: String

    let entry: KeyEntry

    private static let letters = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// A key from the system's random numbers.
    ///
    /// - Parameters:
    ///   - name: who uses it, for people: up to 255 bytes without control characters.
    ///   - grant: what it allows.
    ///   - expires: when it ends; nil if never.
    public init(name: String, grant: Grant, expires: Timestamp?) {
        var generator = SystemRandomNumberGenerator()
        let random = (0..<32).map { _ in Self.letters[Int.random(in: Self.letters.indices, using: &generator)] }
        text = "clk_" + String(decoding: random, as: UTF8.self)
        entry = KeyEntry(name: name, hash: CredentialHash(of: text), grant: grant, expires: expires)
    }

    /// The entry, an element of `keys` in one line. It does not hold the key.
    public var entryText: String { entry.text }
}

extension KeyEntry {
    /// An element of `keys`, as people write it.
    fileprivate var text: String {
        var members = [("name", JSONValue.string(name)), ("sha256", .string(hash.hexadecimal))]
        for right in Right.allCases {
            members.append((right.rawValue, .array(grant.patterns(right).map { .string($0.text) })))
        }
        if let expires { members.append(("expires", .string(expires.rfc3339))) }
        let texts = members.map { "\"\($0.0)\": \(String(decoding: $0.1.bytes, as: UTF8.self))" }
        return "{ \(texts.joined(separator: ", ")) }"
    }
}
