/// What a publisher gives a post so that it may be repeated: the same key on the same topic within ``lifetime`` is the
/// same post.
public struct IdempotencyKey: Hashable, Sendable {
    /// How long a key is remembered, in milliseconds: 24 h.
    public static let lifetime: Int64 = 24 * 60 * 60 * 1_000

    /// The publisher's text.
    public let text: String

    /// A digest of what was posted under it: the same key with another one is a conflict.
    public let fingerprint: [UInt8]

    /// A key of those parts.
    public init(_ text: String, fingerprint: [UInt8]) { (self.text, self.fingerprint) = (text, fingerprint) }
}
