/// What became of attempts, until the store has it: together in one transaction, but soon.
struct Outcomes {
    private(set) var waiting: [AttemptOutcome] = []

    /// Those that the store is recording.
    private(set) var recording: [AttemptOutcome] = []

    private(set) var backoff = Backoff.ofStore

    /// How many are recorded together: fewer after a failure. On a disk that is nearly full there may be space for some.
    private var most = Outcomes.mostOfAll
    private static let mostOfAll = 1 << 16

    /// When those that wait are to be recorded, if they are not many before.
    private var dueAt = Int64.max

    var count: Int { waiting.count + recording.count }

    mutating func add(_ outcome: AttemptOutcome, dueAt time: Int64) {
        if waiting.isEmpty { dueAt = time }
        waiting.append(outcome)
    }

    /// Has what waits recorded now.
    mutating func hurry(at now: Int64) { dueAt = min(dueAt, now) }

    /// When the next are to be recorded, if they are so many as not to wait at once; `.max` if there are none, or some
    /// are being recorded.
    func nextTime(atOnce: Int) -> Int64 {
        guard recording.isEmpty, !waiting.isEmpty else { return .max }
        return waiting.count >= atOnce ? backoff.retryAt : max(dueAt, backoff.retryAt)
    }

    /// Takes the next to be recorded, until ``recorded()`` or ``fail(at:)``.
    mutating func take(_ count: Int) -> [AttemptOutcome] {
        recording = Array(waiting.prefix(min(count, most)))
        waiting.removeFirst(recording.count)
        return recording
    }

    /// Takes in that those that were taken are recorded; returns them.
    mutating func recorded() -> [AttemptOutcome] {
        backoff.succeed()
        most = min(2 * most, Self.mostOfAll)
        defer { recording = [] }
        return recording
    }

    /// Takes in that those that were taken could not be recorded: they are tried again with what came since.
    mutating func fail(at now: Int64) {
        backoff.fail(at: now)
        most = max(recording.count / 4, 1)
        waiting.insert(contentsOf: recording, at: 0)
        // It may be this one that cannot be: those of its endpoint keep their order, the others' go before them.
        if recording.count == 1, let endpoint = recording.first?.endpoint {
            waiting = waiting.filter { $0.endpoint != endpoint } + waiting.filter { $0.endpoint == endpoint }
        }
        recording = []
    }
}
