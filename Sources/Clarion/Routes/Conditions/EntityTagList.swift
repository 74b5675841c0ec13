/// The value of an `If-Match` or `If-None-Match` (RFC 9110 sections 13.1.1 and 13.1.2): `*`, or a list of tags.
enum EntityTagList: Hashable, Sendable {
    /// `*`: whatever there is.
    case any
    /// Tags, of which there may be none (section 5.6.1.2).
    case tags([EntityTag])

    /// Reads the values of all fields of one name, which together are one list (section 5.3).
    ///
    /// A `*` inside a tag's quotes is a part of the tag, as is a comma; `*` beside anything else is no list.
    ///
    /// - Returns: nil for what the grammar does not have.
    init?(_ fields: [String]) {
        if fields.count == 1, fields[0].utf8.elementsEqual("*".utf8) {
            self = .any
            return
        }
        var tags: [EntityTag] = []
        for field in fields {
            guard let part = Self.tags(of: field) else { return nil }
            tags += part
        }
        self = .tags(tags)
    }

    func contains(_ tag: EntityTag, by comparison: EntityTag.Comparison) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains { $0.matches(tag, by: comparison) }
        }
    }

    /// The list of one field: empty elements count for nothing (section 5.6.1.2).
    private static func tags(of field: String) -> [EntityTag]? {
        var tags: [EntityTag] = []
        var rest = Array(field.utf8)[...]
        while true {
            skipBlanks(&rest)
            if let first = rest.first, first != comma {
                guard let tag = tag(&rest) else { return nil }
                tags.append(tag)
                skipBlanks(&rest)
            }
            guard let end = rest.popFirst() else { return tags }
            guard end == comma else { return nil }
        }
    }

    /// `[ "W/" ] DQUOTE *etagc DQUOTE`; the `W` is upper-case.
    private static func tag(_ rest: inout ArraySlice<UInt8>) -> EntityTag? {
        let isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest.removeFirst(2) }
        guard rest.popFirst() == quote, let end = rest.firstIndex(of: quote) else { return nil }
        let opaque = rest[..<end]
        rest = rest[(end + 1)...]
        guard opaque.allSatisfy(isTagCharacter) else { return nil }
        return EntityTag(opaque: Array(opaque), isWeak: isWeak)
    }

    /// `etagc`: visible characters but for the double quote, and bytes beyond ASCII. And blanks, which tags could have until
    /// RFC 7232: between quotes they can be taken for nothing else.
    private static func isTagCharacter(_ byte: UInt8) -> Bool { byte >= 0x20 && byte != 0x7F }

    private static func skipBlanks(_ rest: inout ArraySlice<UInt8>) {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
    }

    private static let comma = UInt8(ascii: ",")
    private static let quote = UInt8(ascii: "\"")
}
