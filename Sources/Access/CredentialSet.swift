import EventLog

/// What one reading of the credentials file put in force. It never changes; key sets do, behind their sources.
final class CredentialSet: Sendable {
    let keys: KeyTable
    let issuers: [TrustedIssuer]
    let anonymous: Principal

    /// The key sets of the issuers, by where they are.
    let keySets: [KeySetLocation: KeySetSource]

    /// - Parameter source: makes the source of a key set, or hands over the one there is.
    /// - Throws: which member names a file that holds no key set, or a URL that can never be fetched.
    init(
        _ file: CredentialsFile,
        source: (KeySetLocation) -> KeySetSource
    ) throws(MemberFault) {
        keys = KeyTable(file.keys)
        anonymous = .anonymous(file.anonymous)
        var keySets: [KeySetLocation: KeySetSource] = [:]
        var issuers: [TrustedIssuer] = []
        // Put in force once all of the file is found to be good: who shares the sources goes on with what they have until then.
        var read: [(source: KeySetSource, keys: KeySet)] = []
        for (place, issuer) in file.issuers.enumerated() {
            var keySet: KeySetSource?
            if let location = issuer.keySet {
                let source = keySets[location] ?? source(location)
                keySets[location] = source
                keySet = source
                do throws(MemberFault) {
                    if let keys = try source.read() { read.append((source, keys)) }
                } catch {
                    let message = "\(location.description): \(error.description)"
                    throw MemberFault(path: "jwt[\(place)].jwks", message: message)
                }
            }
            issuers.append(
                TrustedIssuer(rules: issuer.rules, keySet: keySet, secret: issuer.secret?.verificationKey)
            )
        }
        self.keySets = keySets
        self.issuers = issuers
        for (source, keys) in read { source.take(keys) }
    }

    /// Verifies a token by the rules of its issuer. Where several entries are for one issuer, any of them will do; what is
    /// told is why it failed where it came farthest.
    func judge(_ token: Token, _ hash: CredentialHash, at now: Timestamp) async throws(CredentialFault) -> Principal {
        var fault = CredentialFault(
            reason: .wrongIssuer,
            detail: "The token's issuer is none that this hub knows: wrong issuer."
        )
        for issuer in judges(of: token) {
            do throws(CredentialFault) {
                let key = try await issuer.judge(token, at: now)
                return principal(token.claims, hash, issuer.rules, signer: key.fingerprint)
            } catch {
                if error.reason.progress >= fault.reason.progress { fault = error }
            }
        }
        throw fault
    }

    /// The entries that say something of a token. One for any issuer that does not take its algorithm says nothing where
    /// another does: then the issuer is what is wrong.
    private func judges(of token: Token) -> [TrustedIssuer] {
        let judges = issuers.filter { $0.rules.areFor(token.claims.issuer) }
        guard issuers.contains(where: { $0.takesAlgorithm(of: token) }) else { return judges }
        return judges.filter { $0.rules.issuer != nil || $0.takesAlgorithm(of: token) }
    }

    private func principal(
        _ claims: Claims,
        _ hash: CredentialHash,
        _ rules: IssuerRules,
        signer: CredentialHash
    ) -> Principal {
        Principal(
            name: claims.subject ?? rules.issuer ?? "token",
            id: claims.subject.map { .subject($0, issuer: claims.issuer ?? "") } ?? .token(hash),
            grant: claims.grant,
            expires: claims.expires.map { Timestamp(seconds: $0) },
            evidence: .token(rules, signer: signer)
        )
    }

    /// Whether what a principal showed is worth what it was, its expiry aside.
    func honours(_ principal: Principal) -> Bool {
        switch principal.evidence {
        case .anonymous: anonymous.grant == principal.grant
        case .key(let hash):
            keys.principal(hash).map {
                $0.name == principal.name && $0.grant == principal.grant && $0.expires == principal.expires
            } ?? false
        case .token(let rules, let signer): issuers.contains { $0.rules == rules && $0.has(signer) }
        }
    }
}

extension CredentialFault.Reason {
    /// How far a token came before it failed for this.
    fileprivate var progress: Int {
        switch self {
        case .wrongIssuer: 0
        case .algorithmNotAllowed: 1
        case .unknown: 2
        case .badSignature: 3
        case .wrongAudience: 4
        // A token that can be judged is malformed only if it never expires.
        case .malformed, .notYetValid: 5
        // Another entry may still accept it, whatever is wrong with it by this one,
        case .keysUnavailable: 6
        // but none makes it younger.
        case .expired: 7
        }
    }
}
