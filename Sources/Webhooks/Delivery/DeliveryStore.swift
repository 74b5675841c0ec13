/// Where deliveries are kept: the dispatcher's only view of the log's database.
///
/// The dispatcher calls one method at a time, from one task, so `record` has always taken effect before the next read.
/// An error is logged and the call repeated after a pause; outcomes are not lost by it.
public protocol DeliveryStore: Sendable {
    /// The store's time in milliseconds, by which deliveries are due. It passes evenly, never goes back, and goes on where
    /// it was after a restart, whoever sets the clock of the day. Callable from any thread.
    var now: Int64 { get }

    /// Deliveries of the endpoint that are pending and due at `now`, lowest id first.
    ///
    /// May include ones in flight: the dispatcher skips those it already has. For an ordered endpoint `now` is
    /// `Int64.max`, which makes every pending delivery due.
    ///
    /// - Parameters:
    ///   - endpoint: whose, and in which ``Endpoint/format``. What is read for one that is set anew meanwhile is not used.
    ///   - now: what ``now`` said.
    ///   - limit: the most to return. Fewer means that there are no more.
    func dueDeliveries(of endpoint: Endpoint, at now: Int64, limit: Int) async throws -> [Delivery]

    /// The earliest due time among the endpoint's pending deliveries, by ``now``, or `nil` if there are none. Ones in flight count as pending.
    func nextDelivery(of endpoint: String) async throws -> Int64?

    /// Records outcomes, all in one transaction. Ones of deliveries that no longer exist are to be ignored.
    func record(_ outcomes: [AttemptOutcome]) async throws
}
