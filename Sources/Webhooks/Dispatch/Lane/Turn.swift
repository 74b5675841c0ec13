/// What a lane waits for before it sends its next delivery.
enum Turn: Equatable {
    /// It has nothing to send, or no slot.
    case none
    /// Its turn among those that may send.
    case queued
    /// A time: its rate, its brake, or the retry of an ordered head.
    case held(until: Int64)
    /// That less is under way in all: it has one slot, and has not proved that it answers.
    case parked
    /// That others of its standing end.
    case waiting(Standing)
}
