import EventLog

/// An entry of `jwt` with its keys: judges tokens.
struct TrustedIssuer: Sendable {
    let rules: IssuerRules
    let keySet: KeySetSource?
    let secret: VerificationKey?

    /// Verifies a token that these rules are for.
    ///
    /// A signature is checked before anything is said of claims, and a key set is fetched only for tokens that would be accepted
    /// with its keys.
    func judge(_ token: Token, at now: Timestamp) async throws(CredentialFault) -> VerificationKey {
        guard let algorithm = algorithm(of: token) else {
            throw CredentialFault(
                reason: .algorithmNotAllowed,
                detail: "The token's algorithm is not allowed for its issuer."
            )
        }
        let fault = rules.fault(in: token.claims, at: now)
        var keys = candidates(for: token, algorithm)
        if keys.isEmpty, !algorithm.isShared, let keySet {
            // Whoever finds no place among those who wait is not told that its key is unknown: it may come.
            let isLookedUp = if fault == nil { await keySet.refresh() } else { true }
            guard isLookedUp, keySet.keys != nil else { throw Self.keysUnavailable }
            keys = candidates(for: token, algorithm)
        }
        guard !keys.isEmpty else { throw Self.unknownKey }
        for key in keys where await key.verifies(token, algorithm) {
            if let fault { throw fault }
            return key
        }
        throw CredentialFault(reason: .badSignature, detail: "The token's signature is not valid: bad signature.")
    }

    func takesAlgorithm(of token: Token) -> Bool { algorithm(of: token) != nil }

    private func algorithm(of token: Token) -> SigningAlgorithm? {
        SigningAlgorithm(named: token.algorithm).flatMap { rules.algorithms.contains($0) ? $0 : nil }
    }

    /// Whether a key with that fingerprint is one of its own still.
    func has(_ fingerprint: CredentialHash) -> Bool {
        secret?.fingerprint == fingerprint || keySet?.keys?.contains(fingerprint) == true
    }

    private func candidates(for token: Token, _ algorithm: SigningAlgorithm) -> [VerificationKey] {
        if algorithm.isShared { return secret.map { [$0] } ?? [] }
        return keySet?.keys?.candidates(named: token.keyID, for: algorithm) ?? []
    }

    private static let unknownKey = CredentialFault(
        reason: .unknown,
        detail: "The token was signed with a key that is unknown here."
    )

    private static let keysUnavailable = CredentialFault(
        reason: .keysUnavailable,
        detail: "The keys of the token's issuer could not be fetched yet, or many wait for them."
    )
}
