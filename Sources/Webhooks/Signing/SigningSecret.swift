import Crypto
import FoundationEssentials

/// A secret of Standard Webhooks: `whsec_` and the base64 of 24 to 64 random bytes, shared with the receiver, or `whsk_`
/// and the base64 of the 32 bytes of an Ed25519 private key (RFC 8032), of which the receiver has the public half.
///
/// Its printed forms are redacted; only ``text`` shows it.
package struct SigningSecret: Sendable {
    /// How a secret signs.
    package enum Scheme: String, Sendable, CaseIterable {
        /// `v1`: HMAC-SHA256.
        case hmac = "hmac-sha256"
        /// `v1a`: Ed25519.
        case ed25519

        var prefix: String {
            switch self {
            case .hmac: "whsec_"
            case .ed25519: "whsk_"
            }
        }
    }

    private enum Key: Sendable {
        /// What is keyed with the bytes and has nothing hashed yet: that is done once, not for each attempt.
        case hmac(HMAC<SHA256>)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    /// Bounds of the shared key in bytes, from the specification.
    static let keyLength = 24...64

    package let scheme: Scheme
    private let bytes: [UInt8]
    private let key: Key

    /// Parses `whsec_…` or `whsk_…`.
    ///
    /// - Throws: ``WebhookError`` with code `secret-invalid`; the message does not repeat the secret.
    package init(_ text: String) throws(WebhookError) {
        if let bytes = Self.bytes(text, after: Scheme.hmac.prefix) {
            guard Self.keyLength.contains(bytes.count) else {
                throw Self.invalid("A secret holds 24 to 64 bytes; this one holds \(bytes.count).")
            }
            self.init(shared: bytes)
        } else if let bytes = Self.bytes(text, after: Scheme.ed25519.prefix) {
            // Some tools write the public half behind it: 64 bytes, of which the first 32 say it all.
            guard bytes.count == 32 || bytes.count == 64,
                let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: bytes.prefix(32)),
                bytes.count == 32 || bytes[32...].elementsEqual(key.publicKey.rawRepresentation)
            else { throw Self.invalid("A private key holds the 32 bytes of Ed25519; this one does not.") }
            self.init(private: key)
        } else {
            throw Self.invalid("A secret is \"whsec_\" or \"whsk_\" followed by base64.")
        }
    }

    private init(private key: Curve25519.Signing.PrivateKey) {
        (scheme, bytes, self.key) = (.ed25519, [UInt8](key.rawRepresentation), .ed25519(key))
    }

    private init(shared bytes: [UInt8]) {
        (scheme, self.bytes, key) = (.hmac, bytes, .hmac(HMAC(key: SymmetricKey(data: bytes))))
    }

    /// A new secret: 32 random bytes, as long as the hash that they key, or a new key pair.
    package static func generate(_ scheme: Scheme = .hmac) -> SigningSecret {
        switch scheme {
        case .hmac:
            // The bytes are copied within the closure.
            SigningSecret(shared: unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe [UInt8]($0) })
        case .ed25519: SigningSecret(private: Curve25519.Signing.PrivateKey())
        }
    }

    /// `whsec_` or `whsk_` and base64: the secret itself. Not for logs.
    package var text: String { scheme.prefix + Data(bytes).base64EncodedString() }

    /// `whpk_` and the base64 of the public key, for receivers; nil for a shared secret. No secret.
    package var publicKey: String? {
        guard case .ed25519(let key) = key else { return nil }
        return "whpk_" + key.publicKey.rawRepresentation.base64EncodedString()
    }

    /// The version tag and the signature over the content; nil if the system has no randomness to sign with.
    func signature(of content: some DataProtocol) -> String? {
        switch key {
        case .hmac(var code):
            code.update(data: content)
            return "v1," + Data(code.finalize()).base64EncodedString()
        case .ed25519(let key):
            return (try? key.signature(for: content)).map { "v1a," + $0.base64EncodedString() }
        }
    }

    private static func bytes(_ text: String, after prefix: String) -> [UInt8]? {
        guard text.hasPrefix(prefix) else { return nil }
        return Data(base64Encoded: String(text.dropFirst(prefix.count))).map { [UInt8]($0) }
    }

    private static func invalid(_ message: String) -> WebhookError {
        WebhookError(code: .secretInvalid, message: message)
    }
}

extension SigningSecret: Hashable {
    package static func == (left: SigningSecret, right: SigningSecret) -> Bool {
        left.scheme == right.scheme && left.bytes == right.bytes
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(bytes) }
}

extension SigningSecret: CustomStringConvertible, CustomReflectable {
    /// `whsec_[redacted]` or `whsk_[redacted]`.
    package var description: String { scheme.prefix + "[redacted]" }

    /// No children, so that `dump` and string interpolation of a containing value reveal nothing.
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension [SigningSecret] {
    /// The header `webhook-signature` of Standard Webhooks: one signature for each secret, in their order, separated by
    /// exactly one space: `v1,<base64> v1a,<base64>`.
    ///
    /// - Parameter content: `id.timestamp.body`, exactly as sent: the `webhook-id` header, which contains no dot, and the
    ///   `webhook-timestamp` header.
    func signatures(over content: some DataProtocol) -> String {
        compactMap { $0.signature(of: content) }.joined(separator: " ")
    }
}
