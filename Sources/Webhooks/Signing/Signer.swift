import Crypto
import FoundationEssentials

/// A secret made ready to sign: the keyed hash is set up once per registration, not once per attempt.
struct Signer: Sendable {
    /// `v1`, keyed and with nothing hashed yet. `v1a` becomes a second case beside it.
    private let keyed: HMAC<SHA256>

    init(_ secret: SigningSecret) {
        switch secret.key {
        case .hmac(let bytes): keyed = HMAC(key: SymmetricKey(data: bytes))
        }
    }

    /// The version tag and the signature over `head` followed by `body`.
    func signature(head: [UInt8], body: [UInt8]) -> String {
        var code = keyed
        code.update(data: head)
        code.update(data: body)
        return "v1," + Data(code.finalize()).base64EncodedString()
    }
}
