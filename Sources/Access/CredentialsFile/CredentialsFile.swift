import EventLog
import JSON
import Logging
import Posix

/// What a credentials file says, with the shared secrets that it names.
struct CredentialsFile: Sendable {
    /// An entry of `jwt`.
    struct Issuer: Sendable {
        let rules: IssuerRules
        let keySet: KeySetLocation?
        let secret: SharedSecret?
        /// The path of the secret.
        let secretFile: String?
    }

    /// The largest file that is read: some ten thousand keys.
    static let maximumLength = 16 << 20

    var keys: [KeyEntry] = []
    var issuers: [Issuer] = []
    var anonymous = Grant.nothing

    /// What an operator should know although it is allowed.
    var remarks: [String] = []

    /// Reads a file.
    ///
    /// - Parameter path: what relative paths in it are relative to the folder of.
    init(path: String) throws(CredentialsError) {
        do throws(MemberFault) {
            try self.init(FileBytes.read(path, atMost: Self.maximumLength), folder: FilePaths.folder(of: path))
        } catch {
            throw CredentialsError(path, error)
        }
        for file in [path] + issuers.compactMap(\.secretFile) where FileStatus(of: file)?.isReadableByAll == true {
            let name = file == path ? "it" : file
            remarks.append("Every user of this machine can read \(name). End that: chmod o-r \(file)")
        }
    }

    /// - Throws: which member is not what it must be.
    init(_ bytes: [UInt8], folder: String) throws(MemberFault) {
        let document: JSONValue
        do throws(JSONFault) {
            document = try JSONValue(document: bytes)
        } catch {
            throw MemberFault(path: "", message: "It \(error.predicate(in: bytes)).")
        }
        let members = try Members(document, at: "", known: ["keys", "jwt", "anonymous"])
        try readKeys(members)
        try readIssuers(members, folder: folder)
        if let value = members["anonymous"] {
            anonymous = try Grant(Members(value, at: "anonymous", known: Grant.memberNames))
        }
    }

    private mutating func readKeys(_ members: Members) throws(MemberFault) {
        var (places, names): ([CredentialHash: Int], [String: Int]) = ([:], [:])
        for (place, value) in (try members.elements("keys") ?? []).enumerated() {
            let entry = try KeyEntry(value, at: "keys[\(place)]")
            if let first = places.updateValue(place, forKey: entry.hash) {
                let message = "It is that of keys[\(first)], too. Remove one."
                throw MemberFault(path: "keys[\(place)].sha256", message: message)
            }
            // As while one takes the other's place: it is allowed.
            if let first = names.updateValue(place, forKey: entry.name) {
                remarks.append(
                    """
                    keys[\(place)] has the name of keys[\(first)], "\(entry.name)": log lines and `createdBy` of webhooks do not tell \
                    them apart.
                    """
                )
            }
            keys.append(entry)
        }
    }

    private mutating func readIssuers(_ members: Members, folder: String) throws(MemberFault) {
        for (place, value) in (try members.elements("jwt") ?? []).enumerated() {
            let issuer = try Issuer(value, at: "jwt[\(place)]", folder: folder)
            for (other, rules) in issuers.map(\.rules).enumerated() where rules == issuer.rules {
                throw MemberFault(path: "jwt[\(place)]", message: "It says the same as jwt[\(other)]. Remove one.")
            }
            for algorithm in issuer.unusable {
                remarks.append("jwt[\(place)]: no key is configured that \(algorithm.rawValue) could be used with.")
            }
            issuers.append(issuer)
        }
    }
}

extension KeyEntry {
    /// An element of `keys`.
    fileprivate init(_ value: JSONValue, at path: String) throws(MemberFault) {
        let members = try Members(value, at: path, known: ["name", "sha256", "expires"] + Grant.memberNames)
        name = try members.required("name", such: "who uses the key")
        guard name.utf8.count <= 255, !name.unicodeScalars.contains(where: \.isControl) else {
            throw members.fault("name", "It must have at most 255 bytes and no control characters.")
        }
        let text = try members.required("sha256", such: "the SHA-256 of the key, as `clarion token create` writes it")
        guard let hash = CredentialHash(hexadecimal: text) else {
            throw members.fault("sha256", "It must be 64 hexadecimal digits, the SHA-256 of the key.")
        }
        // As of a variable that was not set.
        guard hash != CredentialHash(of: "") else {
            throw members.fault("sha256", "It is the SHA-256 of an empty text. No key is.")
        }
        self.hash = hash
        grant = try Grant(members)
        expires = try members.text("expires").map { text throws(MemberFault) in
            guard let time = Timestamp(rfc3339: text) else {
                throw members.fault("expires", "It must be a time such as 2027-01-01T00:00:00Z.")
            }
            return time
        }
    }
}

extension CredentialsFile.Issuer {
    /// An element of `jwt`.
    fileprivate init(_ value: JSONValue, at path: String, folder: String) throws(MemberFault) {
        let known = ["issuer", "audience", "algorithms", "jwks", "secretFile", "requireExpiry"]
        let members = try Members(value, at: path, known: known)
        let keySet = try members.text("jwks").map { text throws(MemberFault) in
            try members.inside("jwks") { () throws(MemberFault) in try KeySetLocation(text, relativeTo: folder) }
        }
        secretFile = try members.text("secretFile").map { FilePaths.path($0, relativeTo: folder) }
        let secret = try secretFile.map { path throws(MemberFault) in
            try members.inside("secretFile") { () throws(MemberFault) in
                try SharedSecret(file: FileBytes.read(path, atMost: 65_536))
            }
        }
        guard keySet != nil || secret != nil else {
            throw MemberFault(
                path: path,
                message: "It has no keys: it needs `jwks`, the URL of a key set, or `secretFile`, a file with a secret."
            )
        }
        self.keySet = keySet
        self.secret = secret
        rules = IssuerRules(
            issuer: try members.text("issuer"),
            audience: try members.text("audience"),
            algorithms: try Self.algorithms(members),
            requiresExpiry: try members.flag("requireExpiry") ?? true,
            keySet: keySet,
            secret: secret?.fingerprint
        )
    }

    private static func algorithms(_ members: Members) throws(MemberFault) -> Set<SigningAlgorithm> {
        let names = SigningAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
        guard let texts = try members.texts("algorithms"), !texts.isEmpty else {
            throw members.fault("algorithms", "It must be a list of what tokens may be signed with, of \(names).")
        }
        var algorithms: Set<SigningAlgorithm> = []
        for (place, text) in texts.enumerated() {
            guard let algorithm = SigningAlgorithm(named: text) else {
                throw members.fault("algorithms[\(place)]", "It must be one of \(names).")
            }
            algorithms.insert(algorithm)
        }
        return algorithms
    }

    /// The algorithms that may be used, and for which there is no key.
    fileprivate var unusable: [SigningAlgorithm] {
        rules.algorithms
            .filter { $0.isShared ? secret == nil : keySet == nil }
            .sorted { $0.rawValue < $1.rawValue }
    }
}

extension Members {
    /// Runs what judges the value of a member, and says of which if it fails.
    fileprivate func inside<Value>(
        _ name: String,
        _ body: () throws(MemberFault) -> Value
    ) throws(MemberFault) -> Value {
        do throws(MemberFault) {
            return try body()
        } catch {
            throw fault(error.path.isEmpty ? name : "\(name).\(error.path)", error.message)
        }
    }
}
