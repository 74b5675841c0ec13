import FoundationEssentials
import JWTKit

/// What `secretFile` holds: a key of 32 bytes or more, in base64.
struct SharedSecret: Sendable {
    /// As long as the hash of HS256 (RFC 7518, section 3.2).
    static let minimumLength = 32

    /// More is no key but another file.
    static let maximumLength = 4096

    let bytes: [UInt8]

    /// - Throws: what is wrong with the file, as a sentence.
    init(file: [UInt8]) throws(MemberFault) {
        // `openssl rand -base64` breaks lines, and ends with one.
        let text = file.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
        guard let data = Data(base64Encoded: Data(text)) else {
            throw MemberFault(
                path: "",
                message: "It must hold a key in base64, as `openssl rand -base64 48` makes one."
            )
        }
        guard (Self.minimumLength...Self.maximumLength).contains(data.count) else {
            throw MemberFault(
                path: "",
                message: """
                    It holds \(data.count) bytes; a key has \(Self.minimumLength) to \(Self.maximumLength). \
                    `openssl rand -base64 48` makes one.
                    """
            )
        }
        bytes = [UInt8](data)
    }

    var fingerprint: CredentialHash { CredentialHash(of: bytes) }

    var verificationKey: VerificationKey {
        VerificationKey(
            material: .secret(hmacKey),
            id: nil,
            algorithms: [.hs256, .hs384, .hs512],
            fingerprint: fingerprint
        )
    }

    /// HMAC fills a key up with zeros to a block of its hash (RFC 2104). Done here already, since JWTKit traps in debug
    /// builds where a key is shorter than the hash.
    var hmacKey: HMACKey {
        HMACKey(from: bytes + [UInt8](repeating: 0, count: max(0, 64 - bytes.count)))
    }
}
