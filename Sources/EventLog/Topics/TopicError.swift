/// Why a text is not the name of a topic, or not a pattern of topics.
///
/// ```swift
/// do { _ = try Topic("no spaces") } catch { print(error.code) }  // topic-invalid
/// ```
public struct TopicError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The stable code: `topic-invalid` or `pattern-invalid`.
    public let code: String

    /// What is wrong, in words fit for the client that sent the text. It never repeats the text itself.
    public let message: String

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
