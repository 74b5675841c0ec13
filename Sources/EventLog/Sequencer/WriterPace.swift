/// What the log's writer does while nothing is to be written, and for how long: a pure state machine.
///
/// It waits before it turns to what is not urgent: those that it has just woken may be waiting for its processor, and more
/// posts may follow at once. ``Sequencer`` does what it answers, and says what came of it.
struct WriterPace {
    enum Step: Equatable {
        /// Take a step of maintenance.
        case maintain
        /// Wait for something to be written, at most for that long.
        case wait(Duration)
    }

    /// How long the writer is idle before it writes what is of low priority.
    static let lowPriorityDelay = Duration.microseconds(500)

    /// How long it is idle before it does maintenance that posts may follow.
    static let maintenanceDelay = Duration.milliseconds(5)

    /// How long it waits at most before it looks for history that is too old.
    static let longestWait = Duration.milliseconds(500)

    /// How long it has waited, and nothing came.
    private var idleTime = Duration.zero

    /// Whether what is of low priority may be written.
    var isIdle: Bool { idleTime >= Self.lowPriorityDelay }

    /// What to do while nothing is to be written.
    /// - Parameter delay: how long the writer is to be idle before it takes a step of maintenance.
    func next(hasLowPriority: Bool, maintainingAfter delay: Duration) -> Step {
        if hasLowPriority { return .wait(Self.lowPriorityDelay) }
        return idleTime >= delay ? .maintain : .wait(delay - idleTime)
    }

    mutating func waited(_ duration: Duration, wasWoken: Bool) {
        idleTime = wasWoken ? .zero : idleTime + duration
    }

    /// The writer has written something, or taken a step of maintenance.
    mutating func worked() { idleTime = .zero }
}
