/// The one error of this module: something a client or an operator gave was not acceptable.
public struct WebhookError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong. Raw values are stable: they appear as `code` in problem documents.
    public enum Code: String, Sendable, Hashable {
        /// The URL cannot be parsed, or breaks a rule of ``WebhookURL``.
        case urlInvalid = "url-invalid"
        /// The secret is not `whsec_` and base64 of 24 to 64 bytes.
        case secretInvalid = "secret-invalid"
        /// A custom header's name or value is malformed or reserved.
        case headerInvalid = "header-invalid"
        /// The URL is none of a proxy.
        case proxyInvalid = "proxy-invalid"
        /// The text is neither an address nor an address range.
        case cidrInvalid = "cidr-invalid"
    }

    /// The stable code.
    public let code: Code

    /// One sentence for the person who sent it. Never contains a secret.
    public let message: String

    /// Creates an error.
    public init(code: Code, message: String) { (self.code, self.message) = (code, message) }

    /// The code and the message.
    public var description: String { "\(code.rawValue): \(message)" }
}
