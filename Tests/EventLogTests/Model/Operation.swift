import EventLog

/// Something that is done to a log, drawn by chance. It depends on nothing but the generator, so that who knows the seed
/// knows what another process did.
enum Operation: Hashable, Sendable {
    /// Drafts in one append.
    case post([Post], condition: Condition?)
    /// Bounds of a topic's own, or none.
    case bound(String, Retention?)
    /// A topic that is deleted.
    case delete(String)

    struct Post: Hashable, Sendable {
        var topic: String
        var text: String
        /// From a small set, so that keys come again, with the same text or another.
        var key: String?
    }

    /// An ``AppendCondition`` without ids.
    enum Condition: Hashable, Sendable {
        case hasEvent, hasNone
        /// The event that is the newest now.
        case isNewest
        /// Another one.
        case isOther
    }
}

/// What came of an operation.
enum Outcome: Hashable, Sendable, CustomStringConvertible {
    case posted([Int64], isReplay: Bool)
    case refused(EventLogError.Code)
    case done
    case deleted(Bool)

    var description: String {
        switch self {
        case .posted(let positions, let isReplay):
            "posted \(positions.map(String.init).joined(separator: ",")) \(isReplay)"
        case .refused(let code): "refused \(code.rawValue)"
        case .done: "done"
        case .deleted(let existed): "deleted \(existed)"
        }
    }
}

extension SplitMix {
    /// An operation; one that changes what is kept only if asked for.
    mutating func operation(changesBounds: Bool) -> Operation {
        switch Int.random(in: 0..<40, using: &self) {
        case 0 where changesBounds: .bound(topic(), retention())
        case 1: .delete(topic())
        default: post()
        }
    }

    /// One of a few, so that they meet often; more of them with dots than without.
    mutating func topic() -> String {
        ["a", "b", "a.b", "a.c", "a.b.c", "c.b", "é"].randomElement(using: &self) ?? "a"
    }

    /// A pattern or a topic, or one that nothing matches.
    mutating func pattern() -> String {
        ["a", "b", "a.b", "é", "none", "*", "**", "a.*", "a.**", "*.b", "*.*.c", "z.**"].randomElement(using: &self)
            ?? "a"
    }

    mutating func retention() -> Retention? {
        if Int.random(in: 0..<4, using: &self) == 0 { return nil }
        return Retention(
            events: Bool.random(using: &self) ? .random(in: 1...40, using: &self) : nil,
            age: Int.random(in: 0..<3, using: &self) == 0 ? .random(in: 1_000...100_000, using: &self) : nil,
            bytes: Int.random(in: 0..<3, using: &self) == 0 ? .random(in: 1...4_000, using: &self) : nil
        )
    }

    private mutating func post() -> Operation {
        let count =
            switch Int.random(in: 0..<30, using: &self) {
            case 0: Int.random(in: 0...300, using: &self)
            case 1...5: Int.random(in: 2...5, using: &self)
            default: 1
            }
        let posts = (0..<count).map { number in
            Operation.Post(
                topic: topic(),
                text: String(repeating: "x", count: .random(in: 0...60, using: &self)),
                key: Int.random(in: 0..<(count > 1 ? 40 : 4), using: &self) == 0
                    ? "key \(Int.random(in: 0..<60, using: &self))" : nil
            )
        }
        let conditions: [Operation.Condition] = [.hasEvent, .hasNone, .isNewest, .isOther]
        let condition = Int.random(in: 0..<5, using: &self) == 0 ? conditions.randomElement(using: &self) : nil
        return .post(posts, condition: condition)
    }
}
