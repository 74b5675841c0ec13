/// Tells principals apart, for what is counted by credential: streams, changes per second.
public struct PrincipalID: Hashable, Sendable {
    private enum Kind: Hashable {
        case anonymous
        case key(CredentialHash)
        case subject(CredentialHash)
    }

    private let kind: Kind

    /// Everybody without a credential.
    public static let anonymous = PrincipalID(kind: .anonymous)

    static func key(_ hash: CredentialHash) -> PrincipalID { PrincipalID(kind: .key(hash)) }

    /// A subject of an issuer. Hashed, so that an identity has the same size whatever tokens say.
    static func subject(_ subject: String, issuer: String) -> PrincipalID {
        PrincipalID(kind: .subject(CredentialHash(of: "\(issuer)\u{0}\(subject)")))
    }

    /// A token without a subject: each is somebody of its own.
    static func token(_ hash: CredentialHash) -> PrincipalID { PrincipalID(kind: .subject(hash)) }

    /// The same text wherever the same principal is found, also in another process. It is of no use to show who one is: what
    /// credentials are compared with does not follow from it.
    public var digest: String {
        switch kind {
        case .anonymous: "anonymous"
        case .key(let hash): "key \(Self.digest(of: hash))"
        case .subject(let hash): "subject \(Self.digest(of: hash))"
        }
    }

    private static func digest(of hash: CredentialHash) -> String {
        func words(_ hash: CredentialHash) -> String {
            [hash.first, hash.second, hash.third, hash.fourth].map { String($0, radix: 16) }.joined(separator: "-")
        }
        return words(CredentialHash(of: "principal \(words(hash))"))
    }
}
