import EventLog
import Locking

/// Removes from the stream what a node that starts later has no use for: events that retention, or the deletion of their
/// topic, has removed from the copies, and messages that were refused, or that a newer one has taken the place of. One of
/// the nodes does so. All keep what a webhook waits for, and events with a key until that is forgotten.
///
/// Before events are removed it says so in the stream: up to where all that was refused is gone already, so that a node
/// which starts later decides nothing anew of which the reasons are removed; and what each topic has lost, so that such a
/// node tells readers who come back of the gap. Where many topics have, it is said of all of them at once up to some position.
final class StreamPurge {
    private let stream: StreamAPI
    private let replica: Replica
    private let inbox: String
    /// How often in a row it could not remove anything.
    private var failures = 0
    private var spent: [Settlement.Spent] = []
    private var removed: [(event: RemovedEvents.Removed, at: ContinuousClock.Instant)] = []

    /// How often it looks.
    private static let interval = Duration.seconds(10)
    /// For how long a node that does not remove keeps in mind which events are to be removed: if the one that does is gone,
    /// another takes over before.
    private static let memory = Duration.seconds(60)
    /// How many events and messages are kept in mind while none can be removed. Of those beyond, the oldest stay in the stream until
    /// a node that starts later removes them once more.
    private static let most = 1 << 20

    init(_ stream: StreamAPI, _ replica: Replica) {
        (self.stream, self.replica) = (stream, replica)
        inbox = "\(NATSConnection.inbox).\(replica.node.bits).removals"
    }

    /// Looks now and then at what there is to remove.
    func run(until isStopped: () -> Bool) {
        var looked = ContinuousClock.now
        while !isStopped() {
            _ = Semaphore().wait(atMost: .milliseconds(100))
            if ContinuousClock.now - looked < Self.interval { continue }
            looked = .now
            do {
                try look(at: looked)
                failures = 0
            } catch {
                // It is done the next time, unless it is no passing trouble.
                failures += 1
                guard failures == Self.maximumFailures else { continue }
                let trouble = "What retention has removed cannot be removed from the cluster's stream, which grows"
                replica.report("\(trouble): \(error).")
            }
        }
    }

    /// After how many failures in a row the operator is told: a minute.
    private static let maximumFailures = 6

    private func look(at now: ContinuousClock.Instant) throws {
        // What this node holds in a place may not be what the servers do.
        guard replica.fault == nil, replica.doubts.withLock({ $0.isEmpty }) else { return }
        // Before: of what is noted later, a message after those may be the reason, which a node that starts decides anew.
        removed += replica.index.removed?.take().map { ($0, now) } ?? []
        let taken = replica.taken
        // What was taken is carried out then.
        try Waiting.wait { [replica] () async throws(EventLogError) in try await replica.index.probe() }
        spent += replica.settlement.withLock { $0.takeSpent() }
        spent.removeFirst(max(spent.count - Self.most, 0))
        removed.removeFirst(max(removed.count - Self.most, 0))
        if replica.keeper.duty.contains(.first) {
            try remove(through: taken)
        } else {
            // Whoever removes has said so.
            let settled = replica.settlement.withLock { $0.through }
            spent.removeAll { $0.since <= settled }
            removed.removeAll { now - $0.at > Self.memory }
        }
    }

    private func remove(through taken: UInt64) throws {
        if spent.isEmpty, removed.isEmpty { return }
        try stream.remove(spent.map(\.sequence), answeringTo: inbox)
        spent = []
        // That takes long, and another may remove by now: what it has said since must not be taken back.
        guard replica.keeper.duty.contains(.first) else { return }
        let (partly, unnoted) = replica.settlement.withLock { ($0.partly(through: taken), $0.droppable) }
        try publish(.settle(through: taken, partly: partly, unnoted: unnoted), to: stream.subjects.settled)
        let events = removed.filter { message(of: $0.event) <= taken }
        // The last of each topic says it for all.
        let last = Dictionary(events.compactMap { gone in gone.event.topic.map { ($0, gone.event.position) } }) {
            max($0, $1)
        }
        for (topic, position) in last
        where !replica.settlement.withLock({ $0.isNoted(removalOf: topic, through: position) }) {
            try publish(.noteRemoval(of: topic, through: position), to: stream.subjects.removal(of: topic))
        }
        let messages = Set(events.filter { !$0.event.isKept }.map { message(of: $0.event) })
        // The others go with the last of their events.
        let empty = try Waiting.wait { [replica] () async throws(EventLogError) in
            try await replica.index.empty(messages.sorted().map(Self.start), width: Replica.eventsPerMessage)
        }
        let gone = empty.map { UInt64($0.rawValue / Replica.eventsPerMessage) }
        try stream.remove(gone, answeringTo: inbox)
        replica.settlement.withLock { $0.forget(gone) }
        removed.removeAll { message(of: $0.event) <= taken }
    }

    private func message(of event: RemovedEvents.Removed) -> UInt64 { replica.numbering.message(of: event.position) }

    private static func start(of message: UInt64) -> Position {
        Position(Int64(clamping: message) * Replica.eventsPerMessage)
    }

    private func publish(_ command: Command, to subject: String) throws {
        _ = try Waiting.wait { [replica] () async throws(EventLogError) in
            try await replica.publisher.perform(command, to: subject)
        }
    }
}
