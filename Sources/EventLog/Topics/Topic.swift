/// The name of a topic, such as `orders.created` or `https://example.com/books/1`.
///
/// A name has 1 to 255 bytes of UTF-8 without control characters, white space or `*`, and is neither `.` nor `..`.
/// Dots separate its segments. Two topics are equal if their bytes are: `é` in one code point and `é` in two are
/// different topics, for the log just as for every client that compares bytes.
public struct Topic: Hashable, Sendable, CustomStringConvertible {
    /// The name as it was given.
    public let name: String

    /// A topic of that name.
    /// - Throws: ``TopicError`` with code `topic-invalid`.
    public init(_ name: String) throws(TopicError) {
        if let fault = TopicName.fault(in: name) { throw Topic.invalid(fault) }
        if name.utf8.contains(TopicName.star) { throw Topic.invalid("`*` is for patterns") }
        self.name = name
    }

    /// A topic whose name is given in bytes, such as a percent-decoded segment of a path.
    /// - Throws: ``TopicError`` with code `topic-invalid`, also if the bytes are not UTF-8.
    public init(utf8 bytes: some Sequence<UInt8>) throws(TopicError) {
        guard let name = String(validating: bytes, as: UTF8.self) else { throw Topic.invalid("it is not UTF-8") }
        try self.init(name)
    }

    /// A name that was checked before it was stored.
    init(stored name: String) { self.name = name }

    /// The name.
    public var description: String { name }

    /// Whether both names have the same bytes.
    public static func == (one: Topic, other: Topic) -> Bool { one.name.utf8.hasSameBytes(as: other.name.utf8) }

    /// Feeds the bytes of the name.
    public func hash(into hasher: inout Hasher) { name.utf8.hashBytes(into: &hasher) }

    private static func invalid(_ fault: String) -> TopicError {
        TopicError(code: "topic-invalid", message: "A topic cannot have this name: \(fault).")
    }
}
