import JSON
import JWTKit

/// Why a key of a set is not used.
struct JSONWebKeyFault: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

/// One key of a set (RFC 7517, RFC 7518 section 6, RFC 8037).
struct JSONWebKey {
    let verificationKey: VerificationKey

    /// Whether its private half stands there, too.
    let isPrivate: Bool

    /// - Throws: why it verifies no tokens.
    init(_ value: JSONValue) throws(JSONWebKeyFault) {
        guard case .object(let members) = value else { throw JSONWebKeyFault("it is no object") }
        guard let type = members["kty"]?.text else { throw JSONWebKeyFault("it has no text `kty`") }
        if let use = members["use"], use != .string("sig") { throw JSONWebKeyFault("its `use` is not `sig`") }
        if let operations = members["key_ops"] {
            guard operations.elements?.contains(.string("verify")) == true else {
                throw JSONWebKeyFault("its `key_ops` do not have `verify`")
            }
        }
        var id: String?
        if let value = members["kid"] {
            guard let text = value.text else { throw JSONWebKeyFault("its `kid` is no text") }
            id = text
        }
        let (material, all) = try Self.material(type, members)
        var algorithms = all
        if let value = members["alg"] {
            guard let algorithm = value.text.flatMap(SigningAlgorithm.init(named:)), all.contains(algorithm) else {
                throw JSONWebKeyFault("its `alg` is none that such a key signs with")
            }
            algorithms = [algorithm]
        }
        let parts = ["kty", "crv", "n", "e", "x", "y"].map { members[$0]?.text ?? "" }
        verificationKey = VerificationKey(
            material: material,
            id: id,
            algorithms: algorithms,
            fingerprint: CredentialHash(of: parts.joined(separator: "|"))
        )
        isPrivate = members["d"] != nil
    }

    private typealias Kind = (material: VerificationKey.Material, algorithms: Set<SigningAlgorithm>)

    private static func material(_ type: String, _ members: [String: JSONValue]) throws(JSONWebKeyFault) -> Kind {
        switch type {
        case "RSA": try rsa(members)
        case "EC": try curve(members)
        case "OKP": try edwards(members)
        case "oct": throw JSONWebKeyFault("it is a shared secret, which stands in a `secretFile`")
        default: throw JSONWebKeyFault("its `kty` is not known here")
        }
    }

    private static func rsa(_ members: [String: JSONValue]) throws(JSONWebKeyFault) -> Kind {
        let modulus = try part("n", of: members, length: nil)
        let exponent = try part("e", of: members, length: nil)
        // JWTKit takes 2048 bits and more.
        guard let key = try? Insecure.RSA.PublicKey(modulus: modulus, exponent: exponent) else {
            throw JSONWebKeyFault("it is no RSA key of 2048 bits or more")
        }
        return (.rsa(key), [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512])
    }

    private static func curve(_ members: [String: JSONValue]) throws(JSONWebKeyFault) -> Kind {
        switch members["crv"] {
        case .string("P-256"):
            (.p256(try point(members, length: 32) { try ES256PublicKey(parameters: $0) }), [.es256])
        case .string("P-384"):
            (.p384(try point(members, length: 48) { try ES384PublicKey(parameters: $0) }), [.es384])
        case .string("P-521"):
            (.p521(try point(members, length: 66) { try ES512PublicKey(parameters: $0) }), [.es512])
        default: throw JSONWebKeyFault("its curve is not known here")
        }
    }

    private static func edwards(_ members: [String: JSONValue]) throws(JSONWebKeyFault) -> Kind {
        guard members["crv"] == .string("Ed25519") else { throw JSONWebKeyFault("its curve is not known here") }
        let x = try part("x", of: members, length: 32)
        guard !EdwardsPoint.isOfSmallOrder(x) else { throw JSONWebKeyFault("anybody can sign for it") }
        guard let key = try? EdDSA.PublicKey(x: x, curve: .ed25519) else {
            throw JSONWebKeyFault("it is no point of its curve")
        }
        return (.ed25519(key), [.edDSA])
    }

    /// A key from both coordinates, each as long as the curve's numbers (RFC 7518, section 6.2.1.2).
    private static func point<Key>(
        _ members: [String: JSONValue],
        length: Int,
        _ key: (ECDSAParameters) throws -> Key
    ) throws(JSONWebKeyFault) -> Key {
        let x = try part("x", of: members, length: length)
        let y = try part("y", of: members, length: length)
        guard let key = try? key((x, y)) else { throw JSONWebKeyFault("it is no point of its curve") }
        return key
    }

    /// A number in base64url.
    private static func part(
        _ name: String,
        of members: [String: JSONValue],
        length: Int?
    ) throws(JSONWebKeyFault) -> String {
        guard let text = members[name]?.text, let bytes = Base64URL.decode(text.utf8), !bytes.isEmpty,
            length == nil || bytes.count == length
        else {
            throw JSONWebKeyFault("its `\(name)` is no base64url of \(length.map { "\($0)" } ?? "some") bytes")
        }
        return text
    }
}
