import JSON

/// A token taken apart, and not yet believed: a JSON Web Token in compact form (RFC 7515, RFC 7519).
struct Token: Sendable {
    /// The longest that is read, in bytes: what fits in a request's head.
    static let maximumLength = 8192

    /// The name of its algorithm, which need not be one.
    let algorithm: String

    /// Which of its issuer's keys it says to be signed with.
    let keyID: String?

    let claims: Claims

    /// Header and claims as they were sent, for people.
    let header: JSONValue
    let payload: JSONValue

    /// What was signed: the first two parts.
    let signed: [UInt8]
    let signature: [UInt8]

    /// Whether a text is meant as a token rather than a key, which has no dot.
    static func isMeant(by credential: some StringProtocol) -> Bool { credential.utf8.contains(UInt8(ascii: ".")) }

    /// - Throws: what makes it malformed.
    init(_ text: some StringProtocol) throws(CredentialFault) {
        guard text.utf8.count <= Self.maximumLength else { throw .tooLong }
        let bytes = Array(text.utf8)
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .malformed("a signed token has three parts, separated by dots") }
        header = try Self.document(parts[0], "header")
        payload = try Self.document(parts[1], "claims")
        guard let signature = Base64URL.decode(parts[2]) else {
            throw .malformed("its signature is not canonical base64url without padding")
        }
        self.signature = signature
        signed = Array(bytes[..<parts[1].endIndex])
        (algorithm, keyID) = try Self.signing(header)
        claims = try Claims(payload)
    }

    private static func document(_ part: ArraySlice<UInt8>, _ name: String) throws(CredentialFault) -> JSONValue {
        guard let bytes = Base64URL.decode(part) else {
            throw .malformed("its \(name) part is not canonical base64url without padding")
        }
        let document: JSONValue
        do throws(JSONFault) {
            document = try JSONValue(document: bytes)
        } catch {
            throw .malformed("its \(name) part \(error.predicate)")
        }
        guard case .object = document else { throw .malformed("its \(name) part is no JSON object") }
        return document
    }

    /// What says how to verify it. Keys that a header brings along (`jwk`, `jku`, `x5c`, `x5u`) are not even looked at.
    private static func signing(_ header: JSONValue) throws(CredentialFault) -> (algorithm: String, keyID: String?) {
        guard let algorithm = header["alg"]?.text else { throw .malformed("its header has no text `alg`") }
        // Extensions that must be understood (RFC 7515, section 4.1.11) are none that this module understands. `b64` is
        // one of them (RFC 7797), and without `crit` a trap for readers that differ.
        for name in ["crit", "b64"] where header[name] != nil {
            throw .malformed("its header has `\(name)`, which is not supported")
        }
        switch header["kid"] {
        case nil: return (algorithm, nil)
        case .string(let keyID): return (algorithm, keyID)
        default: throw .malformed("`kid` is no text")
        }
    }
}
