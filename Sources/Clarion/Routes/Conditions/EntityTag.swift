/// What tells one representation of a resource from all others (RFC 9110 section 8.8.3).
struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    /// What stands between the quotes. Tags are bytes: compared as Swift compares strings, two of them would be one.
    let opaque: [UInt8]

    /// Whether it says only that representations mean the same, not that their bytes are.
    let isWeak: Bool

    /// A strong tag.
    ///
    /// - Parameter text: printable ASCII without a double quote or a space.
    init(_ text: String) {
        self.init(opaque: Array(text.utf8), isWeak: false)
    }

    init(opaque: [UInt8], isWeak: Bool) {
        self.opaque = opaque
        self.isWeak = isWeak
    }

    /// The tag as it stands in a header field.
    var description: String { "\(isWeak ? "W/" : "")\"\(String(decoding: opaque, as: UTF8.self))\"" }

    /// How two tags are compared (RFC 9110 section 8.8.3.2).
    enum Comparison {
        /// Both are strong and have the same bytes: for what changes something.
        case strong
        /// They have the same bytes.
        case weak
    }

    func matches(_ other: EntityTag, by comparison: Comparison) -> Bool {
        guard opaque == other.opaque else { return false }
        return comparison == .weak || !(isWeak || other.isWeak)
    }
}
