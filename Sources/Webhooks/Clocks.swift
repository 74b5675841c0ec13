/// The two clocks of the dispatcher.
///
/// What lasts or falls due goes by ``now``, which does not step. The time of day is for others to read: it is in requests
/// and outcomes, and what others name by it, as a date in `Retry-After`, is turned into a duration at once.
package protocol Clocks: Sendable {
    /// The store's time in milliseconds, by which deliveries are due. It passes evenly, never goes back, and goes on where
    /// it was after a restart, whoever sets the clock of the day. Callable from any thread.
    var now: Int64 { get }

    /// The clock of the day by which events are dated, in milliseconds since 1970. It may step.
    var timeOfDay: Int64 { get }
}
