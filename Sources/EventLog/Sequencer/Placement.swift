/// The place that events were given by a sequence elsewhere, of which this log is a copy.
package struct Placement: Sendable {
    /// What of an append is written.
    package enum Decision: Sendable, Equatable {
        /// All of it or nothing, as its condition and its keys admit, which depends on what was written before: nothing where some of it
        /// was posted before, or where keys of what was posted together with it are not used for these events any more.
        case whole(beside: [UsedKey])
        /// What was posted before is left out of it.
        case open
        /// The drafts of these places, or all: so it was found by who had everything before it, of which some may be gone by now.
        case written(places: [Int]?)
    }

    /// The position after which they come, each one further than the one before.
    let after: Position

    /// When they got there.
    let time: Timestamp

    let decision: Decision

    package init(after: Position, time: Timestamp, decision: Decision) {
        (self.after, self.time, self.decision) = (after, time, decision)
    }

    /// Set in the positions of what was appended with keys, which must be known for as long as those live.
    package static let keyed: Int64 = 1 << 19
}
