import EventLog

/// The feeds that have registrations, counted.
struct FeedsInUse: Sendable {
    /// A feed by its number: hashing that costs the same however many patterns the feed has.
    struct Member: Hashable, Sendable {
        let number: Int
        let format: EventEnvelope
    }

    private var index = TopicPatternIndex<Member>()
    private var members: [Feed: (member: Member, count: Int)] = [:]
    private var nextNumber = 0

    mutating func retain(_ feed: Feed) -> Member {
        if let (member, count) = members[feed] {
            members[feed] = (member, count + 1)
            return member
        }
        let member = Member(number: nextNumber, format: feed.format)
        nextNumber += 1
        members[feed] = (member, 1)
        for pattern in feed.patterns { index.insert(member, for: pattern) }
        return member
    }

    mutating func release(_ feed: Feed) {
        guard let (member, count) = members[feed] else { return }
        guard count == 1 else { return members[feed] = (member, count - 1) }
        members[feed] = nil
        for pattern in feed.patterns { index.remove(member, for: pattern) }
    }

    /// Those that hear a topic, each once.
    func matching(_ topic: Topic) -> [Member] {
        var found: [Member] = []
        index.forEachMatch(topic) { found.append($0) }
        return found.count > 1 ? Array(Set(found)) : found
    }
}
