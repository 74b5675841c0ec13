/// Where deliveries are kept: the dispatcher's only view of the log's database.
///
/// The dispatcher reads one endpoint at a time and records one batch at a time, and does both beside each other. After an
/// error, of which the store tells the operator, it does it again, a moment later; outcomes are not lost by it.
///
/// It has the clocks, too. What lasts or falls due goes by ``now``, which does not step. The time of day is for others to
/// read: it is in requests and outcomes, and what others name by it, as a date in `Retry-After`, is turned into a duration
/// at once.
package protocol DeliveryStore: Sendable {
    /// The store's time in milliseconds, by which deliveries are due. It passes evenly, never goes back, and goes on where
    /// it was after a restart, whoever sets the clock of the day. Callable from any thread.
    var now: Int64 { get }

    /// The clock of the day by which events are dated, in milliseconds since 1970. It may step.
    var timeOfDay: Int64 { get }

    /// Whether deliveries to the endpoint are to be made here, at this moment. Asked before each; must not wait. If they are not
    /// any more, the endpoint is removed; whoever finds that they are again sets it again.
    func isOnDuty(for endpoint: String) -> Bool

    /// Deliveries of the endpoint that are pending and due at `now`, lowest id first. Of an endpoint that is
    /// ``Endpoint/ordered``: all that are pending, due or not, for one that is not due holds the rest back.
    ///
    /// May include ones in flight, and ones whose outcome is being recorded: the dispatcher skips those it has.
    ///
    /// - Parameters:
    ///   - endpoint: whose, and in which ``Endpoint/format``. What is read for one that is replaced meanwhile is not used.
    ///   - now: what ``now`` said.
    ///   - limit: the most to return.
    ///   - byteLimit: the ``DueDelivery/storedBytes`` at which it ends; there is one at least, if any is due.
    func dueDeliveries(of endpoint: Endpoint, at now: Int64, limit: Int, byteLimit: Int) async throws -> DueDeliveries

    /// Records outcomes, all in one transaction. Each names its delivery by endpoint and id. Ones of deliveries that no
    /// longer exist are to be ignored.
    ///
    /// Called from the transport's thread, so it must not wait. Whatever is read after the completion was called shows what
    /// was recorded.
    ///
    /// - Parameter completion: to be called once, from any thread, also before this returns. May record the next.
    func record(_ outcomes: [AttemptOutcome], completion: @escaping @Sendable (Result<Void, any Error>) -> Void)
}

/// What a store has for an endpoint at one moment.
package struct DueDeliveries: Sendable {
    /// What is due, lowest id first. As many as were asked for mean that there may be more.
    package var deliveries: [DueDelivery]

    /// When more is due: the earliest time at which a pending delivery that is not among these is, and after the moment of the
    /// question, unless these end at the bound on bytes. `nil` if there is none.
    package var next: Int64?

    package init(_ deliveries: [DueDelivery], next: Int64? = nil) {
        (self.deliveries, self.next) = (deliveries, next)
    }
}
