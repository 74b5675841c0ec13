/// How many events of what an observer wants lie in parts of the sequence: what was counted once is not gone through again.
struct CountedEvents: Equatable, Sendable {
    /// A part of the sequence that was counted.
    struct Part: Equatable, Sendable {
        /// Positions after this,
        let after: Int64
        /// and up to this.
        let through: Int64
        let count: Int
    }

    /// The newest removal of which it is known what it took.
    var removals: Int64

    /// In order; no two overlap.
    private(set) var parts: [Part] = []

    /// How many parts are kept apart: what each observer costs in memory is bounded.
    static let mostParts = 64

    /// The first part of a stretch that is still to be counted; nil if there is none.
    func gap(after: Int64, through: Int64) -> (after: Int64, through: Int64)? {
        var position = after
        for part in parts where part.through > position && position < through {
            guard part.after == position else {
                // Of a part that begins before, it is not known what lies on which side.
                let end = part.after > position ? part.after : part.through
                return (position, min(end, through))
            }
            position = part.through
        }
        return position < through ? (position, through) : nil
    }

    /// How many lie in a stretch that has no gap.
    func count(after: Int64, through: Int64) -> Int {
        parts.reduce(0) { $0 + ($1.after >= after && $1.through <= through ? $1.count : 0) }
    }

    /// Takes in what was counted, in place of all that it overlaps.
    mutating func add(_ part: Part) {
        parts.removeAll { $0.after < part.through && $0.through > part.after }
        parts.insert(part, at: parts.firstIndex { $0.after >= part.through } ?? parts.endIndex)
        if parts.count > Self.mostParts { joinSmallest() }
    }

    /// Forgets what lies up to a position: nobody asks for it any more.
    mutating func forget(through position: Int64) { parts.removeAll { $0.through <= position } }

    /// Forgets every part that may have lost events up to a position.
    mutating func recount(through position: Int64) { parts.removeAll { $0.after < position } }

    /// Makes one part of the two neighbours that are the smallest together. Large ones stay apart for long: of one that the
    /// observer has come into, the rest is counted anew.
    private mutating func joinSmallest() {
        let pairs = parts.indices.dropLast().filter { parts[$0].through == parts[$0 + 1].after }
        guard let first = pairs.min(by: { width($0) < width($1) }) else {
            parts.removeFirst()
            return
        }
        let (one, other) = (parts[first], parts[first + 1])
        parts[first] = Part(after: one.after, through: other.through, count: one.count + other.count)
        parts.remove(at: first + 1)
    }

    private func width(_ place: Int) -> Int64 { parts[place + 1].through - parts[place].after }
}
