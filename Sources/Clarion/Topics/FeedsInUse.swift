import EventLog

/// The feeds that have registrations, counted.
struct FeedsInUse: Sendable {
    private var index = TopicPatternIndex<Feed>()
    private var counts: [Feed: Int] = [:]

    mutating func retain(_ feed: Feed) {
        counts[feed, default: 0] += 1
        index.insert(feed, for: feed.pattern)
    }

    mutating func release(_ feed: Feed) {
        guard let count = counts[feed] else { return }
        counts[feed] = count == 1 ? nil : count - 1
        if count == 1 { index.remove(feed, for: feed.pattern) }
    }

    func matching(_ topic: Topic) -> [Feed] {
        var found: [Feed] = []
        index.forEachMatch(topic) { found.append($0) }
        return found
    }
}
