/// The deliveries of events to durable observers. What an observer is to get follows from the events after its position
/// and what it wants; what is written is what became of them.
package protocol DeliveryLog: Sendable {
    /// The log's time, by which deliveries are due: it passes evenly, whoever sets the clock of the day, and goes on where
    /// it was when the log is opened again.
    var now: Timestamp { get }

    /// The clock of the day by which events are dated: this machine's, or in a cluster the servers', which all nodes have in
    /// common. It may step.
    var timeOfDay: Timestamp { get }

    /// What the clock of the day will show at a moment of the log's time, if nobody sets it before.
    func timeOfDay(at time: Timestamp) -> Timestamp

    /// The pending deliveries whose time has come, and when more are due. Of those that were never tried the earliest
    /// events are taken if they are more than the limit.
    ///
    /// A delivery stays due until its outcome is recorded: whoever attempts deliveries leaves out those it has in hand.
    /// - Parameters:
    ///   - now: what ``now`` says, or another moment of that clock.
    ///   - isInOrder: whether all that are pending are answered, in sequence, due or not: for an observer that is to get its
    ///     events in order, the first holds the others back until its `notBefore`.
    ///   - byteLimit: the ``Event/cost`` of events at which it ends; there is one at least, if any is due.
    func dueDeliveries(
        of observer: ObserverID,
        at now: Timestamp,
        inOrder isInOrder: Bool,
        limit: Int,
        byteLimit: Int
    ) async throws(EventLogError) -> DueDeliveries

    /// Records how attempts went, all in one transaction. Outcomes of deliveries that are deleted, or have arrived, are
    /// ignored.
    ///
    /// What was under way when its delivery was renewed, or given up, is kept and counted like any other attempt. It
    /// does not settle the delivery, except that one that was given up has arrived after all.
    /// - Parameter completion: called once, on the log's thread: it must not block. Gets, of the observers concerned, those
    ///   that failed last: for how long without one success, as their outcomes say.
    func recordOutcomes(
        _ outcomes: [DeliveryOutcome],
        completion: @escaping @Sendable (Result<[ObserverID: Duration], EventLogError>) -> Void
    )

    /// Makes every pending delivery of an observer that receives nothing a dead letter, without an attempt.
    ///
    /// Done in several transactions if they are many. What is left when one fails, or when the observer receives again
    /// meanwhile, stays pending.
    /// - Parameter failure: why, such as `gone`.
    /// - Returns: how many there were.
    func abandonDeliveries(of: ObserverID, failure: String, at now: Timestamp) async throws(EventLogError) -> Int

    /// What became of the deliveries of some observers; all zero for one that there is not.
    ///
    /// The first time it goes through all that waits for an observer, later through what was posted since: in slices, between
    /// which others read, and which end when the task is cancelled.
    /// - Parameter time: after which no further observer is begun.
    /// - Returns: of as many of the first as there was time for, and of one at least.
    func deliveryStats(of observers: [ObserverID], within time: Duration) async throws(EventLogError) -> [DeliveryStats]

    /// An observer's deliveries, those of the newest events first.
    /// - Parameters:
    ///   - state: only those; nil for all.
    ///   - event: only those of earlier events.
    func deliveries(
        of observer: ObserverID,
        in state: DeliveryState?,
        before event: Position,
        limit: Int
    ) async throws(EventLogError) -> [DeliverySummary]

    /// What became of one event for one observer, with its last attempts, oldest first; nil if it was never to get it.
    func delivery(
        of event: Position,
        to observer: ObserverID
    ) async throws(EventLogError) -> (summary: DeliverySummary, attempts: [DeliveryAttempt])?

    /// The events of dead letters, oldest first, between two positions, of which the first is not among them; and their topics,
    /// nil where an event is gone.
    func deadLetters(
        of observer: ObserverID,
        after: Position,
        through: Position,
        limit: Int
    ) async throws(EventLogError) -> [(event: Position, topic: Topic?)]

    /// Has events delivered to an observer, again or for the first time: whatever became of their deliveries, they are
    /// pending now and due at once, and their attempts count from the beginning.
    ///
    /// Done in several transactions if they are many, so that posts get their turn between.
    /// - Parameter createdAt: the observer that is meant, of those that had the id one after the other; nil if any is.
    /// - Returns: how many; events that are gone are passed over. Nil if the observer gets no deliveries, or is another.
    func redeliver(
        _ events: [Position],
        to observer: ObserverID,
        createdAt: Timestamp?,
        at now: Timestamp
    ) async throws(EventLogError) -> Int?

    /// Whether an observer's deliveries are this process's to make, at this moment: of the nodes of a cluster one makes them at a
    /// time. Cheap: asked before each attempt. What another node records is ignored.
    func isOnDuty(for observer: ObserverID) -> Bool

    /// Has a follower called when ``isOnDuty(for:)`` answers otherwise than before, and once at the beginning, if it ever does.
    ///
    /// - Parameter follower: called on any thread, also while it runs. It returns when no attempts are under way any more
    ///   that are not this process's to make, and all are recorded that ended within `grace`.
    func followDuty(_ follower: @escaping @Sendable (_ grace: Duration) async -> Void)
}

extension DeliveryLog {
    /// What became of an observer's deliveries; all zero if there is no such observer.
    package func deliveryStats(of observer: ObserverID) async throws(EventLogError) -> DeliveryStats {
        try await deliveryStats(of: [observer], within: .zero).first ?? DeliveryStats()
    }
}
