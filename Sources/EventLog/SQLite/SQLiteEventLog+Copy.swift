import Foundation
import Synchronization

/// A log as the copy of a sequence that is kept elsewhere, by which a node of a cluster answers what is asked. What is written
/// to it has its place already; nothing is lost with it.
extension SQLiteEventLog {
    /// Appends in the place that the sequence gave; never refused because too much waits.
    package func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        at placement: Placement,
        acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        sequencer.enqueue(.append(drafts, if: condition, at: placement, acknowledge: acknowledge), isBounded: false)
    }

    /// Whether drafts need not be admitted one by one: they are surely not too many, and none was posted before.
    package func takesAll(_ drafts: [EventDraft]) -> Bool {
        let keys = drafts.count { $0.idempotencyKey != nil }
        // A key alone is looked for when its event comes: it is written or it is not.
        return usage.topics + drafts.count <= limits.topics && usage.idempotencyKeys + keys <= limits.idempotencyKeys
            && (keys == 0 || drafts.count == 1)
    }

    /// Refuses drafts that would be more than a log of these bounds may hold, before they are handed to the sequence: every
    /// copy takes what comes from there, whatever its own bounds are and however much it has removed.
    /// - Returns: those that were posted before, by their places.
    package func admit(_ drafts: [EventDraft]) async throws(EventLogError) -> [Int: Event] {
        try await change(makesRoom: true) { tables in try tables.events.admit(drafts) }
    }

    /// Refuses bounds of a topic that would be one more than there may be.
    package func admit(_ topic: Topic) async throws(EventLogError) {
        try await change(makesRoom: true) { tables in try tables.topics.admit(topic) }
    }

    /// Refuses an observer that would be one more than there may be, or want something else once more than it may.
    package func admit(_ record: ObserverRecord) async throws(EventLogError) {
        try await change(makesRoom: true) { tables in try tables.observers.admit(record) }
    }

    /// Takes in that the sequence has come to a time, in turn with what is appended.
    package func advance(to time: Timestamp) async throws(EventLogError) {
        try await change(makesRoom: true) { tables in _ = tables.time.begin(at: time) }
    }

    /// Removes what a topic has beyond its bounds when the sequence has come to a time, up to the first event that a webhook still
    /// waits for: so all copies have the same where these bounds end. In steps: there may be much of it.
    package func trim(_ topic: Topic, at time: Timestamp) async throws(EventLogError) {
        let rows = 1_000
        var trimmed = rows
        while trimmed >= rows {
            trimmed = try await change { tables in
                _ = tables.time.begin(at: time)
                try tables.countEvents()
                guard let number = try tables.topics.known(topic)?.number else { return 0 }
                let removal = try tables.topics.nextRemoval()
                return try tables.trim(number, atMost: rows, removal: removal, at: tables.time.decidedAt)
            }
        }
    }

    /// Saves an observer under the revision that the sequence gave; under the next of its own without one.
    package func saveObserver(
        _ record: ObserverRecord,
        expecting: Int64?,
        resettingFailures: Bool,
        as revision: Int64?
    ) async throws(EventLogError) -> SavedObserver {
        try await change(makesRoom: false) { tables in
            try tables.observers.save(record, expecting: expecting, resettingFailures: resettingFailures, as: revision)
        }
    }

    /// The position of the newest event before a place, on whatever topic; nil if there is none.
    package func newestEvent(before position: Position) async throws(EventLogError) -> Position? {
        try await read { reader in
            try reader.db.cached("SELECT seq FROM event WHERE seq < ?1 ORDER BY seq DESC LIMIT 1", position)
                .first { $0[0] }
        }
    }

    /// Which of some places have no event any more, with all up to the next of them that is a multiple of a width.
    /// - Parameter starts: multiples of the width.
    package func empty(_ starts: [Position], width: Int64) async throws(EventLogError) -> [Position] {
        try await read { reader in
            let find = try reader.db.cached("SELECT 1 FROM event WHERE seq BETWEEN ?1 AND ?2 LIMIT 1")
            return try starts.filter { start in
                try find.bind(start, start.rawValue + (width - 1)).first { $0.integer(0) } == nil
            }
        }
    }

    /// Which of some events are gone.
    package func missing(_ events: [Position]) async throws(EventLogError) -> [Position] {
        try await read { reader in
            let find = try reader.db.cached(
                "SELECT 1 FROM event CROSS JOIN topic ON topic.id = event.topic WHERE seq = ?1 AND seq > removed"
            )
            return try events.filter { try find.bind($0).first { $0.integer(0) } == nil }
        }
    }

    /// Removes what a topic has up to a position, as others have, and keeps its keys. Its readers find a gap also if this copy
    /// never had anything of that.
    package func noteRemoval(of topic: Topic, through position: Position) async throws(EventLogError) {
        try await change { tables in
            try tables.countEvents()
            tables.schedule.hasUnpurgedTopics = true
            try tables.topics.noteRemoval(of: topic, through: position)
        }
        sequencer.moveTail(to: position)
    }

    /// Has readers of any topic find that events up to a position may be gone, but for those of a topic whose newest event
    /// from before where they go on is one that no copy has lost: what a topic loses comes before what it has.
    package func noteRemovals(through position: Position) async throws(EventLogError) {
        try await change { tables in try tables.topics.noteRemovals(through: position) }
        sequencer.moveTail(to: position)
        _ = horizons.unnoted.max(position.rawValue, ordering: .releasing)
    }

    /// Removes the copies that no process has open any more: those of nodes that were killed.
    package static func removeAbandoned(in folder: String, named prefix: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let directory = "\(folder)/\(name)"
            guard let lock = try? DirectoryLock(of: directory, isNew: false) else { continue }
            try? FileManager.default.removeItem(atPath: directory)
            lock.release()
        }
    }
}
