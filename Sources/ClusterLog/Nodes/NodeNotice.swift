/// What a node says of itself to all others. Not a command: it goes beside the stream, and nothing keeps it.
enum NodeNotice: UInt8 {
    /// It is here, as it says every ``KnownNodes/interval``.
    case here = 0
    /// It has just begun, and wants to hear who else is there.
    case new = 1
    /// It leaves in order.
    case leaving = 2
}

/// What nodes say to each other beside the stream begins with who says it. Whatever the bytes are, nothing traps: on the
/// bus is whoever the servers let in.
enum NodeMessage {
    /// How many bytes stand before what is said.
    static let headBytes = 8

    static func bytes(from node: NodeID, _ body: [UInt8]) -> [UInt8] {
        var writer = WireWriter()
        writer.unsigned(node.bits)
        return writer.bytes + body
    }

    static func notice(_ notice: NodeNotice, from node: NodeID) -> [UInt8] { bytes(from: node, [notice.rawValue]) }

    /// Takes a message apart; nil if it is none. No node has the number nought.
    static func parse(_ bytes: [UInt8]) -> (node: NodeID, body: ArraySlice<UInt8>)? {
        var reader = WireReader(bytes)
        guard let bits = try? reader.unsigned(), bits > 0 else { return nil }
        return (NodeID(bits: bits), bytes.dropFirst(headBytes))
    }

    static func parseNotice(_ bytes: [UInt8]) -> (node: NodeID, notice: NodeNotice)? {
        guard let (node, body) = parse(bytes), body.count == 1,
            let notice = body.first.flatMap(NodeNotice.init(rawValue:))
        else { return nil }
        return (node, notice)
    }
}
