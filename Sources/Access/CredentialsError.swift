/// The credentials file, or a file that it names, cannot be used.
public struct CredentialsError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Which file, which member of it, what is wrong and what to do, in one line. Never contains a secret.
    public let message: String

    init(_ message: String) {
        self.message = message
    }

    /// A member of a file is not what it must be.
    init(_ file: String, _ fault: MemberFault) {
        self.init("\(file): \(fault.description)")
    }

    /// The message.
    public var description: String { message }
}
