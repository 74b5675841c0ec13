public import EventLog

/// Who asks, and what they may do: an API key, the subject of a token, or anonymous.
///
/// A class, since every request has one and most have the same.
public final class Principal: Sendable {
    /// What shows that they are who they are, for ``Credentials/isInForce(_:forRequest:)``.
    enum Evidence: Sendable, Equatable {
        case anonymous
        case key(CredentialHash)
        /// The rules that the token was checked by, and the key that had signed it.
        case token(IssuerRules, signer: CredentialHash)
    }

    /// The name of the key, the subject of the token (`sub`; without one, the issuer of the credentials file, or
    /// `token`), or `anonymous`. For people: two principals may have one name. It has no control characters.
    public let name: String

    /// Who it is, for counting: the same for every request of one API key, and of one subject of one issuer.
    public let id: PrincipalID

    /// What they may do.
    public let grant: Grant

    /// When it ends: a key's `expires`, a token's `exp`; nil if never.
    ///
    /// A request is taken for another minute after a token's end, since clocks differ. What lasts (a stream) ends at this
    /// moment, and none begins after it: see ``Credentials/isInForce(_:forRequest:)``.
    public let expires: Timestamp?

    let evidence: Evidence

    init(name: String, id: PrincipalID, grant: Grant, expires: Timestamp?, evidence: Evidence) {
        self.name = name
        self.id = id
        self.grant = grant
        self.expires = expires
        self.evidence = evidence
    }

    /// Until when requests are taken.
    var acceptedUntil: Timestamp? {
        guard case .token = evidence else { return expires }
        return expires?.advanced(byMilliseconds: Int64(IssuerRules.leeway * 1_000))
    }

    /// Whether nobody showed a credential.
    public var isAnonymous: Bool { evidence == .anonymous }

    static func anonymous(_ grant: Grant) -> Principal {
        Principal(name: "anonymous", id: .anonymous, grant: grant, expires: nil, evidence: .anonymous)
    }
}
