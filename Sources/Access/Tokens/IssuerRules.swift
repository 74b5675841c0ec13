import EventLog

/// What a token of an issuer must be: an entry of `jwt` in the credentials file.
struct IssuerRules: Hashable, Sendable {
    let issuer: String?
    let audience: String?
    let algorithms: Set<SigningAlgorithm>
    let requiresExpiry: Bool
    /// The URL of its key set, and the hash of its shared secret, of which one is there at least. They tell entries that
    /// are otherwise the same apart.
    let keySet: KeySetLocation?
    let secret: CredentialHash?

    /// Clocks may differ by so many seconds.
    static let leeway = 60.0

    /// Whether a token of that issuer is judged by these rules. Names are compared byte by byte.
    func areFor(_ issuer: String?) -> Bool {
        guard let expected = self.issuer else { return true }
        return issuer.map { $0.utf8.elementsEqual(expected.utf8) } ?? false
    }

    /// What is wrong with the claims; nil if nothing is.
    func fault(in claims: Claims, at now: Timestamp) -> CredentialFault? {
        let now = now.seconds
        if let audience, claims.audience?.contains(where: { $0.utf8.elementsEqual(audience.utf8) }) != true {
            return CredentialFault(reason: .wrongAudience, detail: "The token is not for this hub: wrong audience.")
        }
        if let notBefore = claims.notBefore, now < notBefore - Self.leeway {
            return CredentialFault(reason: .notYetValid, detail: "The token is not yet valid.")
        }
        guard let expires = claims.expires else {
            return requiresExpiry ? .malformed("it has no `exp`, so it would never expire") : nil
        }
        return now < expires + Self.leeway
            ? nil : CredentialFault(reason: .expired, detail: "The token has expired.")
    }
}

extension Timestamp {
    /// Seconds since 1970.
    var seconds: Double { Double(milliseconds) / 1_000 }

    /// Seconds since 1970, cut to the milliseconds; beyond the calendar, its first or last moment.
    init(seconds: Double) {
        let milliseconds = (seconds * 1_000).rounded(.down)
        self = Int64(exactly: milliseconds).map { Timestamp(milliseconds: $0) } ?? (seconds < 0 ? .earliest : .latest)
    }
}
