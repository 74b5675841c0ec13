public import EventLog
import JSON

/// What a token says, for people, whether it is to be believed or not.
public struct TokenSummary: Sendable {
    private let token: Token

    /// - Throws: ``CredentialFault`` if it cannot be read.
    public init(_ text: String) throws(CredentialFault) {
        token = try Token(text)
    }

    /// Its header, as one line of JSON.
    public var header: String { Self.line(token.header) }

    /// Its claims, as one line of JSON.
    public var claims: String { Self.line(token.payload) }

    /// What it wants to allow.
    public var grant: Grant { token.claims.grant }

    /// When it ends; nil if never.
    public var expires: Timestamp? { token.claims.expires.map { Timestamp(seconds: $0) } }

    /// When it begins; nil if it always was.
    public var notBefore: Timestamp? { token.claims.notBefore.map { Timestamp(seconds: $0) } }

    /// Without characters that terminals obey: JSON itself escapes those below the space alone.
    private static func line(_ value: JSONValue) -> String {
        var line = ""
        for scalar in String(decoding: value.bytes, as: UTF8.self).unicodeScalars {
            if scalar.isControl || scalar.properties.generalCategory == .format {
                line += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                line.unicodeScalars.append(scalar)
            }
        }
        return line
    }
}
