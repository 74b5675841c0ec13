public import EventLog
public import FoundationEssentials
import JSON
import JWTKit

/// Signs tokens, for people who try a hub out and for services that issue their own.
///
/// ```swift
/// let signer = try TokenSigner(secretFile: URL(filePath: "hmac.key"))
/// let token = try await signer.token(subject: "ci", grant: grant, expires: Timestamp.now().advanced(byMilliseconds: 3_600_000))
/// ```
public struct TokenSigner: Sendable {
    private enum Key {
        case secret(SharedSecret)
        case rsa(Insecure.RSA.PrivateKey)
        case p256(ES256PrivateKey)
        case ed25519(EdDSA.PrivateKey)
    }

    private let key: Key

    /// Signs with HS256.
    ///
    /// - Parameter secretFile: 32 bytes or more in base64, as in the credentials file.
    public init(secretFile: URL) throws(CredentialsError) {
        let path = secretFile.path(percentEncoded: false)
        do throws(MemberFault) {
            key = .secret(try SharedSecret(file: FileBytes.read(path, atMost: 65_536)))
        } catch {
            throw CredentialsError(path, error)
        }
    }

    /// Signs with RS256, ES256 or EdDSA, by the kind of the key.
    ///
    /// - Parameter privateKeyFile: a private key in PEM: RSA of 2048 bits or more, P-256 or Ed25519.
    public init(privateKeyFile: URL) throws(CredentialsError) {
        let path = privateKeyFile.path(percentEncoded: false)
        do throws(MemberFault) {
            let text = Self.privateKeyBlock(String(decoding: try FileBytes.read(path, atMost: 65_536), as: UTF8.self))
            if let key = try? ES256PrivateKey(pem: text) {
                self.key = .p256(key)
            } else if let key = try? EdDSA.PrivateKey(pem: text) {
                self.key = .ed25519(key)
            } else if let key = try? Insecure.RSA.PrivateKey(pem: text) {
                self.key = .rsa(key)
            } else {
                throw MemberFault(
                    path: "",
                    message: """
                        It holds no private key in PEM that can be used: RSA of 2048 bits or more, P-256 or Ed25519, not \
                        encrypted.
                        """
                )
            }
        } catch {
            throw CredentialsError(path, error)
        }
    }

    /// A token.
    ///
    /// - Parameters:
    ///   - keyID: the name of the key in its set.
    ///   - expires: nil for never, which a hub takes only with `"requireExpiry": false`.
    public func token(
        subject: String?,
        grant: Grant,
        issuer: String? = nil,
        audience: String? = nil,
        keyID: String? = nil,
        issued: Timestamp = .now(),
        expires: Timestamp?
    ) async throws(CredentialsError) -> String {
        let (algorithm, signer) = try await signer()
        var header: [String: JSONValue] = ["alg": .string(algorithm.rawValue), "typ": .string("JWT")]
        header["kid"] = keyID.map { .string($0) }
        var claims: [String: JSONValue] = [
            "iat": .number(issued.seconds.rounded(.down)), "clarion": .object(grant.members),
        ]
        claims["sub"] = subject.map { .string($0) }
        claims["iss"] = issuer.map { .string($0) }
        claims["aud"] = audience.map { .string($0) }
        claims["exp"] = expires.map { .number($0.seconds.rounded(.down)) }
        let signed = [header, claims].map { Base64URL.encode(JSONValue.object($0).bytes) }.joined(separator: ".")
        guard let signature = try? signer.sign(Array(signed.utf8)) else {
            throw CredentialsError("The token cannot be signed with this key.")
        }
        return "\(signed).\(Base64URL.encode(signature))"
    }

    /// The private key alone: `openssl ecparam -genkey` writes the curve before it.
    private static func privateKeyBlock(_ text: String) -> String {
        let lines = text.split(whereSeparator: \.isNewline)
        guard let begin = lines.firstIndex(where: { $0.hasPrefix("-----BEGIN") && $0.hasSuffix("PRIVATE KEY-----") }),
            let end = lines[begin...].firstIndex(where: { $0.hasPrefix("-----END") })
        else { return text }
        return lines[begin...end].joined(separator: "\n") + "\n"
    }

    private func signer() async throws(CredentialsError) -> (SigningAlgorithm, any JWTAlgorithm) {
        let keys = JWTKeyCollection()
        let algorithm: SigningAlgorithm
        switch key {
        case .secret(let secret):
            await keys.add(hmac: secret.hmacKey, digestAlgorithm: .sha256)
            algorithm = .hs256
        case .rsa(let key):
            await keys.add(rsa: key, digestAlgorithm: .sha256)
            algorithm = .rs256
        case .p256(let key):
            await keys.add(ecdsa: key)
            algorithm = .es256
        case .ed25519(let key):
            await keys.add(eddsa: key)
            algorithm = .edDSA
        }
        guard let signer = try? await keys.getKey() else { throw CredentialsError("This key cannot sign.") }
        return (algorithm, signer)
    }
}
