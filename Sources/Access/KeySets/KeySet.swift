import JSON

/// The keys of a JSON Web Key Set (RFC 7517) that verify tokens. Others, for encryption or of unknown kinds, are passed
/// over, as its section 5 says.
struct KeySet: Sendable {
    /// The largest document that is read, in bytes.
    static let maximumLength = 1 << 20

    /// The most keys that a set may have.
    static let maximumCount = 256

    /// The most keys that a token is tried with: more only cost time, since sets as large as that name their keys.
    static let maximumTrials = 16

    let keys: [VerificationKey]

    /// Why keys were passed over, for the log.
    let remarks: [String]

    private let fingerprints: Set<CredentialHash>

    /// - Throws: why the bytes are no key set.
    init(_ bytes: [UInt8]) throws(MemberFault) {
        guard bytes.count <= Self.maximumLength else {
            throw MemberFault(path: "", message: "It is larger than a mebibyte.")
        }
        let document: JSONValue
        do throws(JSONFault) {
            document = try JSONValue(document: bytes)
        } catch {
            throw MemberFault(path: "", message: "It \(error.predicate).")
        }
        guard let elements = document["keys"]?.elements else {
            throw MemberFault(path: "", message: "It is no key set: an object with a list `keys`.")
        }
        guard elements.count <= Self.maximumCount else {
            throw MemberFault(path: "keys", message: "There are more than \(Self.maximumCount).")
        }
        var keys: [VerificationKey] = []
        var remarks: [String] = []
        for (place, element) in elements.enumerated() {
            do throws(JSONWebKeyFault) {
                let key = try JSONWebKey(element)
                keys.append(key.verificationKey)
                if key.isPrivate {
                    remarks.append("keys[\(place)] is a private key: whoever reads the set can sign with it")
                }
            } catch {
                remarks.append("keys[\(place)] is not used: \(error.reason)")
            }
        }
        self.keys = keys
        self.remarks = remarks
        fingerprints = Set(keys.map(\.fingerprint))
    }

    /// The keys that may have signed a token: those of the name that it gives; if there are none, those without a name.
    /// If it gives no name, all.
    func candidates(named id: String?, for algorithm: SigningAlgorithm) -> [VerificationKey] {
        var fitting = keys.filter { $0.algorithms.contains(algorithm) }
        if let id {
            let named = fitting.filter { $0.id.map { $0.utf8.elementsEqual(id.utf8) } ?? false }
            fitting = named.isEmpty ? fitting.filter { $0.id == nil } : named
        }
        return Array(fitting.prefix(Self.maximumTrials))
    }

    func contains(_ fingerprint: CredentialHash) -> Bool { fingerprints.contains(fingerprint) }

    /// Whether both verify the same tokens.
    func hasSameKeys(as other: KeySet) -> Bool {
        keys.count == other.keys.count
            && zip(keys, other.keys).allSatisfy {
                $0.fingerprint == $1.fingerprint && $0.id == $1.id && $0.algorithms == $1.algorithms
            }
    }
}
