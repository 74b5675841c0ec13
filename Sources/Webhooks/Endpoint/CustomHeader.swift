import Notation

/// A header the registrant wants on every request to its endpoint.
package struct CustomHeader: Sendable, Hashable, CustomStringConvertible {
    /// The field name as given; compared without regard to case.
    package let name: String
    package let value: String

    /// In bytes.
    package static let maximumValueLength = 4096

    /// In bytes. Far above any name in the IANA registry.
    package static let maximumNameLength = 256

    /// What is shown instead of a value that is a credential.
    package static let redacted = "[redacted]"

    /// Creates a header whose name is a token (RFC 9110 section 5.6.2) that is not ours to set, and whose value is visible
    /// ASCII with spaces inside, 1 to 4096 bytes.
    ///
    /// - Throws: ``WebhookError`` with code `header-invalid`.
    package init(name: String, value: String) throws(WebhookError) {
        guard Self.isName(name) else {
            throw WebhookError(code: .headerInvalid, message: "A header name is a token of 1 to 256 bytes.")
        }
        let lowered = name.lowercased()
        if Self.reservedNames.contains(lowered) || Self.reservedPrefixes.contains(where: lowered.hasPrefix) {
            throw WebhookError(code: .headerInvalid, message: "The header \"\(name)\" cannot be set by a registration.")
        }
        guard (1...Self.maximumValueLength).contains(value.utf8.count),
            value.utf8.allSatisfy({ (0x20...0x7e).contains($0) }),
            value.utf8.first != 0x20, value.utf8.last != 0x20
        else {
            throw WebhookError(
                code: .headerInvalid,
                message: "The value of \"\(name)\" must be 1 to 4096 bytes of visible ASCII, with blanks only inside."
            )
        }
        (self.name, self.value) = (name, value)
    }

    /// Whether it is of that name, in whichever case. What is no token is the name of none.
    package func isNamed(_ name: String) -> Bool {
        // Only then: Unicode's lower case of the sign for kelvins is a `k`.
        name.utf8.allSatisfy(\.isTokenCharacter) && self.name.lowercased() == name.lowercased()
    }

    /// Whether a text can be the name of a header.
    package static func isName(_ text: String) -> Bool {
        (1...maximumNameLength).contains(text.utf8.count) && text.utf8.allSatisfy(\.isTokenCharacter)
    }

    /// Whether the value is a credential and must be left out when the registration is read back.
    package var isSensitive: Bool { Self.credentialNames.contains(name.lowercased()) }

    /// The name, and the value unless it is a credential.
    package var description: String { "\(name): \(isSensitive ? Self.redacted : value)" }

    private static let credentialNames: Set<String> = ["authorization", "proxy-authorization", "cookie"]

    /// Framing and routing of the request, which belong to the transport. The list in the contract is `host`,
    /// `connection`, `transfer-encoding`; the others would break framing or hop-by-hop semantics the same way.
    private static let reservedNames: Set<String> = [
        "host", "connection", "transfer-encoding", "te", "trailer", "upgrade", "keep-alive", "proxy-connection",
        "expect", "traceparent", "event-type", "user-agent",
    ]

    private static let reservedPrefixes = ["content-", "webhook-", "ce-", "clarion-"]
}
