/// Any JSON document (RFC 8259): what requests are parsed into before their members are checked one by one.
package enum JSONValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    /// Values are read of requests, and no request of the interface nests deeper than three.
    package static let maximumDepth = 32

    /// Reads a document.
    ///
    /// - Parameter isStreamSafe: whether its strings must be what `String.isStreamSafe` says: not of what this program wrote.
    /// - Throws: why the bytes are not JSON, nested no deeper than 32 and without two members of one name in an object.
    package init(document bytes: [UInt8], isStreamSafe: Bool = true) throws(JSONFault) {
        let root = try JSONDocument(bytes, maximumDepth: Self.maximumDepth, isStreamSafe: isStreamSafe).root
        var walk = root.walk
        guard let value = walk.built() else { throw walk.fault }
        self = value
    }

    /// Reads a document that a program of ours wrote; nil if ``init(document:isStreamSafe:)`` throws.
    package init?(parsing bytes: [UInt8]) { try? self.init(document: bytes, isStreamSafe: false) }

    /// JSON merge patch (RFC 7396).
    package func merging(_ patch: JSONValue) -> JSONValue {
        guard case .object(let changes) = patch else { return patch }
        var members: [String: JSONValue] = [:]
        if case .object(let present) = self { members = present }
        for (name, change) in changes {
            members[name] = change == .null ? nil : (members[name] ?? .null).merging(change)
        }
        return .object(members)
    }
}
