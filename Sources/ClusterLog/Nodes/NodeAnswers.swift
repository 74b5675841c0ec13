/// What other nodes of a cluster have answered to a question.
public struct NodeAnswers: Sendable {
    /// What each has said, by the node's name.
    public var said: [String: [UInt8]]

    /// The names of nodes that are known and have not answered in time, in their order. Nil if all have; empty if nobody could
    /// be asked, and none is known.
    public var missing: [String]?

    /// Answers of those parts.
    public init(said: [String: [UInt8]], missing: [String]?) {
        self.said = said
        self.missing = missing
    }

    /// What a node has said is no answer.
    public mutating func reject(_ node: String) {
        said[node] = nil
        missing = ((missing ?? []) + [node]).sorted()
    }
}
