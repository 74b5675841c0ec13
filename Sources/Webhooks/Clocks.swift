/// The two clocks of the dispatcher, injected so that tests decide what time it is.
///
/// What lasts or falls due goes by ``now``, which does not step. The time of day is for others to read: it is in requests
/// and outcomes, and what others name by it, as a date in `Retry-After`, is turned into a duration at once.
struct Clocks: Sendable {
    /// The store's time, in milliseconds.
    let now: @Sendable () -> Int64

    /// The time of day, in milliseconds since 1970. It may step, forward and back.
    let timeOfDay: @Sendable () -> Int64

    /// Those of a store.
    init(of store: any DeliveryStore, timeOfDay: (@Sendable () -> Int64)? = nil) {
        now = { store.now }
        self.timeOfDay = timeOfDay ?? { store.timeOfDay }
    }
}
