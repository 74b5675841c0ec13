import EventLog
import Locking
import Synchronization

/// This node's copy of the log: carries out the commands of the stream, one after the other.
final class Replica: Sendable {
    let index: SQLiteEventLog
    let publisher: Publisher
    let keeper: LeaseKeeper
    let node: NodeID
    let report: @Sendable (String) -> Void

    struct State {
        var fault: String?
        var last: Delivered?
        var hasAll = false
        /// Whether messages were missing that may have said what is removed, or whose removal this copy has not seen.
        var hasMissed = false
        /// Up to which message others may have removed events that this copy has not seen, or has had only afterwards.
        var unseen: UInt64 = 0
        /// How many messages were passed over.
        var skipped = 0
        var observerFollowers: [@Sendable (ObserverChange) -> Void] = []
        var deletionFollowers: [@Sendable (Topic) -> Void] = []
    }

    let state = Lock(State())
    /// What is in the stream, and of which use.
    let settlement = Lock(Settlement())
    /// What the server that sends the stream may have for itself alone.
    let doubts = Lock(Doubts())
    /// What of the servers' storage is kept, so that the log can go on when that is full.
    let reserve = Lock(Reserve())
    private let reserveSubject: String
    /// Whether appends are refused for want of room, and whether all that takes up more of it is.
    private let isFull = Atomic(false)
    private let isScarce = Atomic(false)
    private let isStuck = Atomic(false)
    /// Deliveries that wait at other nodes, and cannot be made by this one.
    let passedOver = Lock(PassedOver())
    /// Of the thread that takes messages.
    let fences = Lock(Fences())
    /// The newest message that was taken from the stream.
    let newest = Atomic<UInt64>(0)
    /// How many messages were taken.
    let commands = Atomic(0)
    /// Appends and outcomes that the copy has not committed yet.
    let waiting = Atomic(0)

    /// How many of these may wait for the copy before the stream is read on.
    static let mostWaiting = 4_096

    /// The positions of the events of one message follow each other; those of the next begin at the next multiple.
    static let eventsPerMessage: Int64 = 1 << 20

    /// How positions and times come of a message's place and time. Tests that count both have it otherwise.
    struct Numbering: Sendable {
        var eventsPerMessage = Replica.eventsPerMessage
        var time: @Sendable (Timestamp) -> Timestamp = { $0 }

        /// The message that an event's position is of; 0 where positions do not say so.
        func message(of position: Position) -> UInt64 {
            eventsPerMessage > 0 ? UInt64(max(position.rawValue, 0) / eventsPerMessage) : 0
        }

        /// The last position that events of a message, and of those before it, may have; nil where none says so.
        func end(of sequence: UInt64) -> Position? {
            guard eventsPerMessage > 0 else { return nil }
            let next = Int64(clamping: sequence).multipliedReportingOverflow(by: eventsPerMessage)
            return next.overflow ? nil : Position(next.partialValue + (eventsPerMessage - 1))
        }
    }

    let numbering: Numbering

    init(
        _ index: SQLiteEventLog,
        publisher: Publisher,
        keeper: LeaseKeeper,
        subjects: Subjects,
        node: NodeID,
        numbering: Numbering,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.index, self.publisher, self.keeper, self.report) = (index, publisher, keeper, report)
        (self.node, self.numbering) = (node, numbering)
        reserveSubject = subjects.reserve
    }

    var epoch: LogEpoch { index.epoch }
    var taken: UInt64 { newest.load(ordering: .acquiring) }

    /// The newest message that was taken; nil if none was.
    var last: Delivered? { state.withLock { $0.last } }

    var commandCount: Int { commands.load(ordering: .relaxed) }

    /// Why this node cannot go on; nil if it can. It is to be started anew.
    var fault: String? { state.withLock { $0.fault } }

    /// Why no events are taken; nil if they are.
    var fullness: EventLogError? { isFull.load(ordering: .relaxed) ? .isFull : nil }

    /// Why nothing is taken that does not make room; nil if it is.
    var scarcity: EventLogError? { isScarce.load(ordering: .relaxed) ? .isFull : nil }

    func setScarce(_ isScarce: Bool) { self.isScarce.store(isScarce, ordering: .relaxed) }

    /// Why what is written would not come back; nil if it would.
    var stagnation: EventLogError? {
        guard isStuck.load(ordering: .relaxed) else { return nil }
        return EventLogError(
            code: .unavailable,
            message: "What is written to the cluster's log does not come back to this node."
        )
    }

    /// - Returns: whether it was otherwise before.
    func setStuck(_ isStuck: Bool) -> Bool { self.isStuck.exchange(isStuck, ordering: .relaxed) != isStuck }

    /// Takes in a message of the reserve, if it is one.
    func takeReserve(_ bytes: [UInt8], of subject: String, _ delivered: Delivered) -> Bool {
        guard subject == reserveSubject, let message = Reserve.Message(bytes) else { return false }
        let isGivenUp = reserve.withLock { reserve in
            reserve.take(message, at: delivered.sequence)
            return reserve.isGivenUp
        }
        isFull.store(isGivenUp, ordering: .relaxed)
        if !isGivenUp { setScarce(false) }
        if case .filler = message { return true }
        // What was said before of how it stands is of no use any more.
        settlement.withLock { $0.replace(.reserve, by: delivered.sequence) }
        return true
    }

    /// Whether it has had all there was at some time: the newest messages may have been removed.
    var hasAll: Bool { state.withLock { $0.hasAll } }

    /// Messages up to a place were in the stream before this node was.
    func begin(after sequence: UInt64) { state.withLock { $0.unseen = sequence } }

    /// Nothing is left to send for now.
    func rest() { state.withLock { $0.hasAll = true } }

    func fail(_ fault: String) { state.withLock { $0.fault = $0.fault ?? fault } }

    func followObservers(_ follower: @escaping @Sendable (ObserverChange) -> Void) {
        state.withLock { $0.observerFollowers.append(follower) }
    }

    func followDeletions(_ follower: @escaping @Sendable (Topic) -> Void) {
        state.withLock { $0.deletionFollowers.append(follower) }
    }

    /// Whether it is a place that no event ever has.
    func isBetweenMessages(_ position: Position) -> Bool {
        numbering.eventsPerMessage > 1 && position.rawValue.isMultiple(of: numbering.eventsPerMessage)
    }
}
