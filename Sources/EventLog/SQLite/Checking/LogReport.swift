/// What ``SQLiteEventLog/check(directory:)`` found in a log.
public struct LogReport: Hashable, Sendable {
    /// What is wrong, each in one line; empty if the log is sound.
    public internal(set) var findings: [String] = []

    /// The version of the tables, from 1.
    public internal(set) var version = 0

    /// The version that this program writes; it brings older ones up to it when it opens them.
    public let currentVersion = SchemaVersion.current

    /// The identity of the log; nil if it does not say.
    public internal(set) var epoch: LogEpoch?

    /// The events that are retained.
    public internal(set) var events: Int64 = 0

    /// The bytes of data of those events.
    public internal(set) var bytes: Int64 = 0

    /// The position of the newest event there ever was.
    public internal(set) var tail = Position.start

    /// The topics that have events.
    public internal(set) var topics: Int64 = 0

    /// The observers.
    public internal(set) var observers: Int64 = 0

    /// The deliveries: pending, delivered and dead.
    public internal(set) var deliveries: Int64 = 0

    /// The idempotency keys that are remembered.
    public internal(set) var keys: Int64 = 0

    /// The bytes of the database file and its write-ahead log.
    public internal(set) var fileBytes: Int64 = 0

    /// Whether nothing is wrong.
    public var isSound: Bool { findings.isEmpty }
}
