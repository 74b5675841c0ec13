extension LogReader {
    /// Looks for events that an observer waits for and that were never tried, as ``search(_:for:scanning:inAll:)`` does.
    mutating func untried(
        by subscription: Subscription,
        in stretch: Stretch,
        count: Int,
        scanning limit: Int,
        inAll most: Int = .max
    ) throws -> Found {
        var found = Found()
        var parts = subscription.stretches(after: stretch.after, through: stretch.through)
        if stretch.newestFirst { parts.reverse() }
        for (interest, after, through) in parts {
            let wanted = LookedFor(
                patterns: interest.topics,
                types: interest.types,
                count: count - found.positions.count,
                withoutDeliveryTo: subscription.key
            )
            let part = Stretch(after: after, through: through, newestFirst: stretch.newestFirst)
            let more = try search(part, for: wanted, scanning: limit, inAll: most)
            found.positions += more.positions
            found.looked += more.looked
            found.end = more.end
            if more.end != nil || found.positions.count >= count { break }
        }
        return found
    }

    /// All of them, as many as are wanted.
    mutating func allUntried(by subscription: Subscription, in stretch: Stretch, count: Int) throws -> [Int64] {
        var (rest, found) = (stretch, [Int64]())
        while found.count < count {
            let part = try untried(by: subscription, in: rest, count: count - found.count, scanning: Self.slice)
            found += part.positions
            guard let end = part.end else { break }
            rest.after = end
        }
        return found
    }
}
