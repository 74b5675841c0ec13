/// Everything that a hub asks of its log.
package typealias CompleteLog = DeliveryLog & EventLog & ObserverStore & TopicStore

/// The durable, ordered sequence of committed events.
///
/// Whoever posts hands drafts to the log; whoever notifies observers follows it. So observers hear what was committed, in
/// sequence order, whichever log stands behind this protocol, and whoever else appends to it.
public protocol EventLog: AnyObject, Sendable {
    /// The identity of this log.
    var epoch: LogEpoch { get }

    /// The position of the newest committed event. Cheap; moved on before followers are notified, and by all events of one
    /// commit at once.
    var tail: Position { get }

    /// Hands drafts to the log: all of them are committed, next to each other and in this order, or none.
    ///
    /// Returns at once. `acknowledge` is called exactly once, with the events as committed: after the commit and after
    /// the followers heard the events, on the log's thread, which must not be kept. What was refused because too much
    /// waits already (``EventLogError/Code/overloaded``) or the log is closed is acknowledged on the caller's thread, before
    /// this returns.
    ///
    /// A draft whose idempotency key was used on its topic within the key's lifetime is not stored again, nor are
    /// followers notified; the receipt has the event of that time. Used for something else it is refused as
    /// ``EventLogError/Code/idempotencyConflict``, with all of its append.
    ///
    /// - Parameter condition: what must hold of the topic of the first draft, else the append is refused as
    ///   ``EventLogError/Code/valueChanged``; a replay is answered as such whether it holds or not.
    func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    )

    /// Runs a body that appends: what it hands in may be committed together, by the calling thread, before this returns. A log
    /// that commits elsewhere only runs it.
    func together(_ body: () -> Void)

    /// Has a follower notified of every commit that adds events, in sequence order, from the next commit on and for as long
    /// as the log lives. It is called on the log's thread, which must not be kept.
    func follow(_ follower: @escaping @Sendable (Commit) -> Void)

    /// Reads on from a position.
    /// - Parameters:
    ///   - after: the position to read on from; the event there is not part of the page.
    ///   - matching: what to read; an event that several patterns match comes once. No patterns match no event.
    ///   - limit: the most events of the page, at least 1.
    ///   - byteLimit: the bytes of data and attributes at which the page ends; it has one event at least, if there is any
    ///     to read.
    func read(
        after: Position,
        matching: [TopicPattern],
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> EventPage

    /// The event of an id; nil if there is none, not any more, or the id is of another log.
    func event(_ id: EventID) async throws(EventLogError) -> Event?

    /// The newest event of a topic; nil if it has none.
    func lastEvent(of topic: Topic) async throws(EventLogError) -> Event?

    /// The position of the newest event that any of the patterns matches; nil if there is none.
    func newest(matching: [TopicPattern]) async throws(EventLogError) -> Position?

    /// The position just before the newest events that match: to read on from there gives them, and what came since.
    /// - Parameters:
    ///   - beforeNewest: how many events, at least 1; all of them, if there are fewer.
    ///   - matching: on which topics.
    ///   - types: of which types, compared by their bytes; none for events of every type and of none.
    /// - Returns: the tail if no event matches.
    func position(beforeNewest: Int, matching: [TopicPattern], types: [String]) async throws(EventLogError) -> Position

    /// The position just before the first event at or after a moment; the tail if there is none.
    func position(since: Timestamp) async throws(EventLogError) -> Position

    /// Whether a position was given to an event. Where that cannot be told, it was: the position comes from an id of this log.
    func hasReached(_ position: Position) async throws(EventLogError) -> Bool

    /// Sees whether the log takes posts, in turn with those that wait.
    /// - Throws: ``EventLogError`` with the code with which a post would be refused.
    func probe() async throws(EventLogError)

    /// Counts what the log holds, for metrics. May take as long as there are topics and observers.
    func figures() async throws(EventLogError) -> LogFigures

    /// Writes what is waiting, then closes the log. What comes later is refused with ``EventLogError/Code/closed``. May be
    /// called several times; each returns when the log is closed.
    func close() async
}
