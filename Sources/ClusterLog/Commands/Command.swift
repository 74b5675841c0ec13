import EventLog
import Notation

/// One message of the stream: what a node asks of the log. All nodes carry all of them out in the order of the stream, each on
/// its own copy, and so come to the same: also to whether a condition holds, or a key was used before.
enum Command: Sendable {
    /// As a whole or not at all: what was posted together with it was posted before, under these keys. Of what earlier versions have
    /// written that is not said, and only what was not posted before is written.
    case append([EventDraft], if: AppendCondition?, beside: [UsedKey]?)
    case saveObserver(ObserverRecord, expecting: Int64?, resettingFailures: Bool)
    case deleteObserver(ObserverID, expecting: Int64?)
    /// Those of these revisions, which are places in the stream: what is carried out late leaves what came after it was asked for.
    case deleteObservers(of: TopicPattern, through: Int64?)
    /// If the topic had bounds of its own before, or none. Whether it has events is no matter for all: each node removes in its time.
    case setRetention(Retention?, of: Topic, expectingBounds: Bool?)
    /// Its events up to there.
    case deleteTopic(Topic, through: Position?)
    /// Those count that ``Fences`` admit. The term is the place of the last message by which the node took up parts.
    case recordOutcomes([DeliveryOutcome], term: Int64)
    case abandonDeliveries(of: ObserverID, failure: String, at: Timestamp)
    /// If the observer is the one that was created then: another may have the id by now.
    case redeliver([Position], to: ObserverID, createdAt: Timestamp?, at: Timestamp)
    /// Who delivers which webhooks from here on, if nobody has said otherwise since the leases of that place in the stream.
    case lease(Leases, after: UInt64)
    /// The outcomes of these parts are the node's from here on. It has them by the leases of that place in the stream.
    case takeUp(Parts, by: Int64)
    /// Its events are gone up to there.
    case noteRemoval(of: Topic, through: Position)
    /// What the stream has up to there and was refused, or replaced, is removed from it. Whatever else is removed from now
    /// on, the appends that are left are written: some of them only in part, of which these are the places. Of any topic events
    /// may be gone up to a position, which is not said of each any more.
    case settle(through: UInt64, partly: [UInt64: [Int]], unnoted: Position)
    /// Nothing.
    case probe
}

/// A command, and whose it is.
struct Envelope: Sendable {
    /// The node that asked.
    let node: NodeID
    /// The node's own number of the command.
    let number: UInt64
    let command: Command
}

/// Names one run of a node: drawn when it starts.
struct NodeID: Hashable, Sendable {
    let bits: UInt64

    static func random() -> NodeID { NodeID(bits: .random(in: 1 ... .max)) }

    /// How people are told of it, such as `node-00f3a1b2c4d5e6f7`.
    var name: String { "node-" + String(hexadecimal: bits) }
}
