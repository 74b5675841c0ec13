import Crypto
import FoundationEssentials

/// A shared secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes.
///
/// Its printed forms are redacted; only ``text`` shows it, for the one answer that hands it to the client.
public struct SigningSecret: Sendable, Hashable {
    /// What signs, by scheme. `v1a` (ed25519, `whsk_`) becomes a second case with its own version tag.
    enum Key: Sendable, Hashable {
        /// `v1`: HMAC-SHA256 with these bytes.
        case hmac([UInt8])
    }

    static let prefix = "whsec_"

    /// Bounds of the decoded key in bytes, from the specification.
    static let keyLength = 24...64

    let key: Key

    /// Parses `whsec_…`.
    ///
    /// - Throws: ``WebhookError`` with code `secret-invalid`; the message does not repeat the secret.
    public init(_ text: String) throws(WebhookError) {
        guard text.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(text.dropFirst(Self.prefix.count)))
        else {
            throw WebhookError(code: .secretInvalid, message: "a secret is 'whsec_' followed by base64")
        }
        guard Self.keyLength.contains(bytes.count) else {
            throw WebhookError(
                code: .secretInvalid,
                message: "a secret holds 24 to 64 bytes; this one holds \(bytes.count)"
            )
        }
        key = .hmac([UInt8](bytes))
    }

    private init(key: Key) {
        self.key = key
    }

    /// A new secret of 32 random bytes, as long as the hash it keys.
    public static func generate() -> SigningSecret {
        // The bytes are copied within the closure.
        SigningSecret(key: .hmac(unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe [UInt8]($0) }))
    }

    /// `whsec_` and base64: the secret itself. Not for logs.
    public var text: String {
        switch key {
        case .hmac(let bytes): Self.prefix + Data(bytes).base64EncodedString()
        }
    }
}

extension SigningSecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// `whsec_[redacted]`.
    public var description: String { "whsec_[redacted]" }

    /// `whsec_[redacted]`.
    public var debugDescription: String { description }

    /// No children, so that `dump` and string interpolation of a containing value reveal nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
