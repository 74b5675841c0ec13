import EventLog
import JSON

/// What a token says (RFC 7519, section 4.1), by type, and not yet believed.
struct Claims: Sendable {
    let issuer: String?
    /// Up to 255 bytes without control characters: it becomes a name in answers and logs.
    let subject: String?
    let audience: [String]?
    /// Seconds since 1970. Any number that a double holds, also far beyond every calendar.
    let expires, notBefore: Double?
    let grant: Grant

    /// - Throws: which claim has the wrong type.
    init(_ payload: JSONValue) throws(CredentialFault) {
        guard case .object(let claims) = payload else { throw .malformed("its claims are no JSON object") }
        issuer = try Self.text("iss", in: claims)
        subject = try Self.text("sub", in: claims)
        if let subject, subject.utf8.count > 255 || subject.unicodeScalars.contains(where: \.isControl) {
            throw .malformed("`sub` has more than 255 bytes, or control characters")
        }
        audience = try Self.audience(in: claims)
        expires = try Self.seconds("exp", in: claims)
        notBefore = try Self.seconds("nbf", in: claims)
        _ = try Self.seconds("iat", in: claims)
        do throws(MemberFault) {
            let rights = try claims["clarion"].map { value throws(MemberFault) in
                try Members(value, at: "clarion", known: Grant.memberNames)
            }
            grant = try rights.map { rights throws(MemberFault) in try Grant(rights) } ?? .nothing
        } catch {
            // The fault may repeat names that whoever made the token chose, so it is not shown.
            throw .malformed("`clarion` may have `publish`, `subscribe` and `manage`, each a list of patterns")
        }
    }

    private static func text(_ name: String, in claims: [String: JSONValue]) throws(CredentialFault) -> String? {
        switch claims[name] {
        case nil: return nil
        case .string(let text): return text
        default: throw .malformed("`\(name)` is no text")
        }
    }

    private static func seconds(_ name: String, in claims: [String: JSONValue]) throws(CredentialFault) -> Double? {
        switch claims[name] {
        case nil: return nil
        case .number(let seconds): return seconds
        default: throw .malformed("`\(name)` is no number")
        }
    }

    /// One text, or a list of them.
    private static func audience(in claims: [String: JSONValue]) throws(CredentialFault) -> [String]? {
        switch claims["aud"] {
        case nil: return nil
        case .string(let text): return [text]
        case .array(let elements):
            var audience: [String] = []
            for element in elements {
                guard let text = element.text else { throw .malformed("`aud` has an element that is no text") }
                audience.append(text)
            }
            return audience
        default: throw .malformed("`aud` is neither a text nor a list of texts")
        }
    }
}

extension Unicode.Scalar {
    var isControl: Bool { properties.generalCategory == .control }
}
