/// Why a credential is not accepted: what `401 credential-invalid` says, and `503 overloaded` where it could not be judged.
public struct CredentialFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong with it.
    public enum Reason: String, Sendable, CaseIterable {
        /// No key, and nothing that looks like a token; or a token that was signed with a key nobody here knows.
        case unknown
        /// It looks like a token, but is none that may be read.
        case malformed
        /// The keys of its issuer could not be had yet, so nothing can be said of it: it may be good a moment later.
        case keysUnavailable = "keys unavailable"
        /// Its issuer is none of the configured ones.
        case wrongIssuer = "wrong issuer"
        /// Its algorithm is not on its issuer's list.
        case algorithmNotAllowed = "algorithm not allowed"
        /// It was not signed with the key that it names, or was changed since.
        case badSignature = "bad signature"
        /// It is for others.
        case wrongAudience = "wrong audience"
        /// Its time has not come.
        case notYetValid = "not yet valid"
        /// Its time is over: it was good until then.
        case expired
    }

    /// The code of the answer, `credential-invalid`.
    public static let code = "credential-invalid"

    /// What is wrong, for programs.
    public let reason: Reason

    /// What is wrong, in a sentence for whoever sent the credential. Never repeats any part of it.
    public let detail: String

    /// No such key. It is not said whether there was one.
    static let unknown = CredentialFault(reason: .unknown, detail: "The credential is unknown.")

    /// The same is said of a key whose time is over.
    static let expiredKey = CredentialFault(reason: .expired, detail: unknown.detail)

    static let tooLong = CredentialFault.malformed("it is longer than \(Token.maximumLength) bytes")

    static func malformed(_ detail: String) -> CredentialFault {
        CredentialFault(reason: .malformed, detail: "The token is malformed: \(detail).")
    }

    /// Reason and detail.
    public var description: String { "\(reason.rawValue): \(detail)" }
}
