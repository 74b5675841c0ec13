internal import GRDB
import Locking
import Synchronization

/// Tells readers of patterns which removal took events that they would have read, without going through all topics for
/// every page: what was found for a set of patterns is remembered, and the next time only the topics are looked at that
/// have lost events since.
///
/// `topic.removal` and `log.removals` only grow; `topic.removed` does so for one topic, but not from one to the other.
final class RemovalHorizons: Sendable {
    /// What was found for a set of patterns.
    private struct Horizon {
        /// What was asked for: topics that match and have lost events after this position…
        var position: Int64
        /// …when this was the number of the newest removal.
        var removals: Int64
        /// What the topic that was found lost last; nil if there was none.
        var last: Loss?
    }

    private typealias Loss = (removal: Int64, removed: Int64)

    private let horizons = Lock(RecentValues<[TopicPattern], Horizon>(capacity: 128))

    /// Up to where this log, a copy, has not been told of each topic what it has lost.
    let unnoted = Atomic<Int64>(0)

    /// It happens only before anybody reads.
    private let restoration: Restoration?

    init(after restoration: Restoration?) { self.restoration = restoration }

    /// The removal that stands for what was lost with a log that this one is a copy of, for who comes from before. It
    /// may have been of any topic.
    func restoration(after position: Int64) -> Int64? {
        restoration.flatMap { position < $0.position ? $0.removal : nil }
    }

    /// The newest removal that took events of matching topics after a position.
    func lastRemoval(after position: Int64, matching patterns: [TopicPattern], _ db: Database) throws -> Int64? {
        let newest = try db.cached("SELECT removed, removals FROM log")
            .first { (removed: $0.integer(0), removals: $0.integer(1)) }
        guard let newest, newest.removed > position else { return nil }
        var known = horizons.withLock { $0[patterns] }
        // It says nothing of earlier positions, nor of an earlier snapshot.
        if let horizon = known, horizon.position > position || horizon.removals > newest.removals { known = nil }
        var last = try loss(in: (known?.removals ?? -1) + 1...Int64.max, after: position, patterns, db)
        if last == nil, let before = known?.last {
            last = before.removed > position ? before : try loss(in: 0...before.removal, after: position, patterns, db)
        }
        let found = Horizon(position: position, removals: newest.removals, last: last)
        horizons.withLock { horizons in
            // Another reader may have a later snapshot.
            if horizons[patterns]?.removals ?? 0 <= found.removals { horizons[patterns] = found }
        }
        return [last?.removal, try Self.forgottenRemoval(after: position, db)].compactMap { $0 }.max()
    }

    /// The newest removal that took events after a position of a topic that is not known any more. It may be any topic.
    static func forgottenRemoval(after position: Int64, _ db: Database) throws -> Int64? {
        try db.cached("SELECT forgotten_removal FROM log WHERE forgotten > ?1", position).first { $0[0] }
    }

    /// The last loss, by the numbers of the removals, that a matching topic had after a position.
    private func loss(
        in removals: ClosedRange<Int64>,
        after position: Int64,
        _ patterns: [TopicPattern],
        _ db: Database
    ) throws -> Loss? {
        // The first condition is what the index has.
        let topics = try db.cached(
            """
            SELECT removal, removed, name FROM topic INDEXED BY topic_removal
            WHERE removed > 0 AND removal BETWEEN ?1 AND ?2 AND removed > ?3 ORDER BY removal DESC
            """
        ).bind(removals.lowerBound, removals.upperBound, position)
        var loss: Loss?
        try topics.prefix { row in
            if patterns.match(row[2]) { loss = (row[0], row[1]) }
            return loss == nil
        }
        return loss
    }
}
