internal import GRDB

/// The times of what is written, and what the clocks say, which is kept for when the log is opened again.
final class TimeWriter {
    let clock: LogClock
    private let note: PreparedStatement
    /// The log's time when the transaction began: its deliveries are due then, and its keys used.
    private(set) var begunAt = Timestamp.earliest
    /// The time of the newest event.
    private var last: Timestamp
    /// In a copy, how far the sequence has come, in which this machine's clock has no part: what is too old is so at the same
    /// place of it everywhere. Nil in a log of its own.
    private(set) var placed: Timestamp?
    /// The time by which it is decided what is too old; in a copy the one by which it is removed, or copies would decide by how
    /// far their maintenance has come.
    var decidedAt: Timestamp { placed ?? begunAt }
    /// What the clocks said when the transaction began, about.
    private var seen = LogClock.Reading(time: .earliest, timeOfDay: .earliest)
    /// What was kept last; nil if that is not known.
    private var noted: LogClock.Reading?

    /// How far, in milliseconds, the system's clock may be set back without the log's time following it.
    static let heldStep: Int64 = 60_000

    init(
        _ db: Database,
        _ timeOfDay: @escaping @Sendable () -> Timestamp,
        _ elapsed: @escaping @Sendable () -> Duration
    ) throws {
        let kept = try db.cached("SELECT time, time_of_day FROM log")
            .first { LogClock.Reading(time: $0[0], timeOfDay: $0[1]) }
        let beginning = LogClock.Reading(time: .earliest, timeOfDay: .earliest)
        clock = LogClock(after: kept ?? beginning, timeOfDay: timeOfDay, elapsed: elapsed)
        note = try db.compiled("UPDATE log SET time = ?1, time_of_day = ?2")
        last = try db.cached("SELECT time FROM event ORDER BY seq DESC LIMIT 1").first { $0[0] } ?? .earliest
    }

    var mark: (last: Timestamp, placed: Timestamp?) { (last, placed) }

    func goBack(to mark: (last: Timestamp, placed: Timestamp?)) {
        (last, placed) = mark
        noted = nil
    }

    /// A transaction begins.
    /// - Returns: the time of its events: the clock's, but not before that of the event before, unless the clock was set back
    ///   for good. So a time can be looked up in the sequence, and small corrections do not matter.
    func begin() -> Timestamp {
        begunAt = clock.now
        seen = LogClock.Reading(time: begunAt, timeOfDay: clock.timeOfDay())
        return Self.time(seen.timeOfDay, after: last)
    }

    /// What is written next got its place elsewhere, at that time: so it is the same wherever it is written, also whether its
    /// keys are too old.
    /// - Returns: the time of its events.
    func begin(at time: Timestamp) -> Timestamp {
        begunAt = time
        let time = Self.time(time, after: placed ?? .earliest)
        placed = time
        return time
    }

    /// An event is written with that time. Not every transaction has one.
    func wrote(at time: Timestamp) { last = time }

    /// Keeps what the clocks say, unless it was done within the second before the transaction began.
    func noteReading() throws {
        guard noted.map({ seen.isNews(after: $0) }) ?? true else { return }
        let reading = clock.reading
        try note.bind(reading.time, reading.timeOfDay).run()
        noted = reading
    }

    private static func time(_ now: Timestamp, after last: Timestamp) -> Timestamp {
        now >= last || last.milliseconds - now.milliseconds > heldStep ? now : last
    }
}

extension LogClock.Reading {
    /// Whether a second has passed by one of the clocks.
    fileprivate func isNews(after other: LogClock.Reading) -> Bool {
        max(
            (time.milliseconds - other.time.milliseconds).magnitude,
            (timeOfDay.milliseconds - other.timeOfDay.milliseconds).magnitude
        ) >= 1_000
    }
}
