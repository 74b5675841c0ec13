import FoundationEssentials
import JWTKit

/// A key that verifies tokens, and the algorithms that it may be used with: those of its own family and curve, fewer if it
/// says so itself. Which one a token wants does not matter to what a key can do.
struct VerificationKey: Sendable {
    enum Material: Sendable {
        case rsa(Insecure.RSA.PublicKey)
        case p256(ES256PublicKey)
        case p384(ES384PublicKey)
        case p521(ES512PublicKey)
        case ed25519(EdDSA.PublicKey)
        case secret(HMACKey)
    }

    let material: Material

    /// Its name in its set.
    let id: String?

    let algorithms: Set<SigningAlgorithm>

    /// A hash of what it is made of, to tell whether it is still in force.
    let fingerprint: CredentialHash

    /// Whether the signature is this key's.
    func verifies(_ token: Token, _ algorithm: SigningAlgorithm) async -> Bool {
        guard algorithms.contains(algorithm), let verifier = await verifier(algorithm) else { return false }
        // What is thrown says that the signature cannot even be read.
        return (try? verifier.verify(token.signature, signs: token.signed)) ?? false
    }

    /// JWTKit's half of the work. A collection of one key, without a name: it is never asked to choose.
    private func verifier(_ algorithm: SigningAlgorithm) async -> (any JWTAlgorithm)? {
        let keys = JWTKeyCollection()
        switch (material, algorithm) {
        case (.rsa(let key), .rs256): await keys.add(rsa: key, digestAlgorithm: .sha256)
        case (.rsa(let key), .rs384): await keys.add(rsa: key, digestAlgorithm: .sha384)
        case (.rsa(let key), .rs512): await keys.add(rsa: key, digestAlgorithm: .sha512)
        case (.rsa(let key), .ps256): await keys.add(pss: key, digestAlgorithm: .sha256)
        case (.rsa(let key), .ps384): await keys.add(pss: key, digestAlgorithm: .sha384)
        case (.rsa(let key), .ps512): await keys.add(pss: key, digestAlgorithm: .sha512)
        case (.p256(let key), .es256): await keys.add(ecdsa: key)
        case (.p384(let key), .es384): await keys.add(ecdsa: key)
        case (.p521(let key), .es512): await keys.add(ecdsa: key)
        case (.ed25519(let key), .edDSA): await keys.add(eddsa: key)
        case (.secret(let key), .hs256): await keys.add(hmac: key, digestAlgorithm: .sha256)
        case (.secret(let key), .hs384): await keys.add(hmac: key, digestAlgorithm: .sha384)
        case (.secret(let key), .hs512): await keys.add(hmac: key, digestAlgorithm: .sha512)
        default: return nil
        }
        return try? await keys.getKey()
    }
}
