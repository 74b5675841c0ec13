/// Where deliveries are kept: the dispatcher's only view of the log's database.
///
/// The dispatcher calls one method at a time, from one task, so `record` has always taken effect before the next read.
/// An error is logged and the call repeated after a pause; outcomes are not lost by it.
public protocol DeliveryStore: Sendable {
    /// The store's time in milliseconds, by which deliveries are due. It passes evenly, never goes back, and goes on where
    /// it was after a restart, whoever sets the clock of the day. Callable from any thread.
    var now: Int64 { get }

    /// Deliveries of the endpoint that are pending and due at `now`, lowest id first. Of an endpoint that is
    /// ``Endpoint/ordered``: all that are pending, due or not, for one that is not due holds the rest back.
    ///
    /// May include ones in flight: the dispatcher skips those it already has.
    ///
    /// - Parameters:
    ///   - endpoint: whose, and in which ``Endpoint/format``. What is read for one that is set anew meanwhile is not used.
    ///   - now: what ``now`` said.
    ///   - limit: the most to return.
    func dueDeliveries(of endpoint: Endpoint, at now: Int64, limit: Int) async throws -> DueDeliveries

    /// Records outcomes, all in one transaction. Each names its delivery by endpoint and id. Ones of deliveries that no
    /// longer exist are to be ignored.
    func record(_ outcomes: [AttemptOutcome]) async throws
}

/// What a store has for an endpoint at one moment.
public struct DueDeliveries: Sendable {
    /// What is due, lowest id first. As many as were asked for mean that there may be more.
    public var deliveries: [Delivery]

    /// When more is due: the earliest time, after the moment of the question, at which a pending delivery that is not among
    /// these is. `nil` if there is none.
    public var next: Int64?

    /// Creates an answer.
    public init(_ deliveries: [Delivery], next: Int64? = nil) {
        self.deliveries = deliveries
        self.next = next
    }
}
