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
        if keys.isEmpty, fault == nil, !algorithm.isShared {
            await keySet?.refresh()
            keys = candidates(for: token, algorithm)
        }
        guard !keys.isEmpty else { throw noKey(algorithm) }
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

    private func noKey(_ algorithm: SigningAlgorithm) -> CredentialFault {
        let isMissing = !algorithm.isShared && keySet != nil && keySet?.keys == nil
        return CredentialFault(
            reason: .unknown,
            detail: isMissing
                ? "The keys of the token's issuer could not be fetched yet, so its key is unknown."
                : "The token was signed with a key that is unknown here."
        )
    }
}
