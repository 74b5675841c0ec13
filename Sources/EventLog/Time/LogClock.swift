import Notation
import Synchronization

/// The log's own time: by it is measured what lasts, as the waits of retries and the lifetime of idempotency keys.
///
/// It passes as the machine's does, also while that is suspended, and whoever sets the clock of the day does not change
/// it. A log that is opened again goes on where it was, and adds what the time of day says that it was closed for. So
/// what was to last a second lasts no longer, whatever the clock said when it was written, and is not cut short by a
/// step while the log is open. A step forward while it is closed cannot be told from time that passed.
///
/// Its values look like times of day because a log's time begins with that; only ``timeOfDay(at:)`` makes them such.
final class LogClock: Sendable {
    /// By how much two looks at two clocks may differ without one of them having been set, in milliseconds.
    static let jitter: Int64 = 5

    /// What both clocks said at one moment: kept in the table `log`.
    struct Reading: Hashable {
        var time: Timestamp
        var timeOfDay: Timestamp
    }

    let timeOfDay: @Sendable () -> Timestamp

    private let elapsed: @Sendable () -> Duration
    private let start: Timestamp
    private let elapsedAtStart: Duration
    /// How far the clock of the day is ahead, in milliseconds, as it was shown last.
    private let lead: Atomic<Int64>

    /// Goes on from a moment that was kept.
    /// - Parameters:
    ///   - timeOfDay: the clock of the day, which may step.
    ///   - elapsed: how long some fixed moment ago is.
    init(
        after last: Reading,
        timeOfDay: @escaping @Sendable () -> Timestamp,
        elapsed: @escaping @Sendable () -> Duration
    ) {
        (self.timeOfDay, self.elapsed) = (timeOfDay, elapsed)
        let (present, moment) = Self.look(timeOfDay, elapsed)
        let passed = present.milliseconds - last.timeOfDay.milliseconds
        start = last.time.advanced(byMilliseconds: max(passed, 0))
        lead = Atomic(present.milliseconds - start.milliseconds)
        elapsedAtStart = moment
    }

    /// The log's time.
    var now: Timestamp { now(at: elapsed()) }

    private func now(at moment: Duration) -> Timestamp {
        start.advanced(byMilliseconds: (moment - elapsedAtStart).milliseconds)
    }

    /// What both clocks say at one moment: a thread that is held up between two looks would take that for a step.
    private static func look(
        _ timeOfDay: () -> Timestamp,
        _ elapsed: () -> Duration
    ) -> (timeOfDay: Timestamp, elapsed: Duration) {
        var (before, present, after) = (elapsed(), timeOfDay(), elapsed())
        // Some times only: of a clock that steps on with each look nothing better is to be had.
        var looks = 1
        while after - before > .milliseconds(1), looks < 100 {
            (before, present, after) = (after, timeOfDay(), elapsed())
            looks += 1
        }
        return (present, before)
    }

    /// How long ago this program first asked (`CLOCK_BOOTTIME`, clock_gettime(2)).
    static let elapsed: @Sendable () -> Duration = {
        let first = ContinuousClock.now
        return { ContinuousClock.now - first }
    }()

    var reading: Reading {
        let now = now
        return Reading(time: now, timeOfDay: timeOfDay(at: now))
    }

    /// What the clock of the day says at a moment of the log's time, if nobody sets it before. The same each time: what is
    /// shown of a delivery must not differ by the moment of looking.
    func timeOfDay(at time: Timestamp) -> Timestamp {
        let (day, moment) = Self.look(timeOfDay, elapsed)
        let present = day.milliseconds - now(at: moment).milliseconds
        let shown = lead.load(ordering: .relaxed)
        guard (present - shown).magnitude > LogClock.jitter else { return time.advanced(byMilliseconds: shown) }
        lead.store(present, ordering: .relaxed)
        return time.advanced(byMilliseconds: present)
    }
}
