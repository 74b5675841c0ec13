import EventLog
import Foundation
import Testing

@testable import ClusterLog

/// A conformance to the log's protocols. The suites of this folder hold every kind to what the protocols promise, and
/// know nothing else of it: a further conformance is added to ``all``.
struct LogKind: Sendable, CustomTestStringConvertible {
    let testDescription: String

    /// Whether what is in the directory is there again when it is opened again.
    let outlivesClosing: Bool

    /// Opens the log of a directory, or makes one.
    let open: @Sendable (String, Settings, @escaping @Sendable () -> Timestamp) throws -> any CompleteLog

    /// What the promises depend on.
    struct Settings: Sendable {
        /// The bounds of topics that have none of their own.
        var retention = Retention()
        /// The most events of one commit, if the log knows of such a thing.
        var groupEvents: Int?
        /// The bytes that may wait, if the log knows of such a thing.
        var queuedBytes: Int?
        /// The most events that a page looks at, if the log knows of such a thing.
        var scannedEvents: Int?
        /// How many topics it knows by heart, if it knows of such a thing.
        var cachedTopics: Int?
    }

    static let disk = sqlite("SQLite that waits for the disk", .disk)
    static let process = sqlite("SQLite on disk", .process)
    static let memory = sqlite("SQLite in memory", .memory)

    /// Without a server there is nothing to test it with: `apt-get install nats-server`.
    static let jetStream = NATSServer.shared.map(jetStream(on:))

    static let all = [process, memory] + [jetStream].compactMap(\.self)

    /// A fresh log of this kind.
    func make(_ settings: Settings = Settings(), clock: ManualClock = ManualClock()) throws -> LogUnderTest {
        try LogUnderTest(self, settings, clock)
    }

    private static func jetStream(on server: NATSServer) -> LogKind {
        LogKind(testDescription: "JetStream", outlivesClosing: true) { directory, settings, clock in
            var limits = SQLiteEventLog.Limits()
            limits.retention = settings.retention
            limits.groupEvents = settings.groupEvents ?? limits.groupEvents
            limits.queuedBytes = settings.queuedBytes ?? limits.queuedBytes
            limits.scannedEvents = settings.scannedEvents ?? limits.scannedEvents
            limits.cachedTopics = settings.cachedTopics ?? limits.cachedTopics
            let name = String(directory.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.suffix(60))
            var start = Node.Start(address: try ClusterAddress("nats://127.0.0.1:\(server.port)?name=\(name)"))
            start.limits = limits
            start.clock = clock
            start.elapsed = { .milliseconds(clock().milliseconds) }
            // So that the tests can count: one after the other, and by their own clock.
            start.numbering = Replica.Numbering(eventsPerMessage: 0) { _ in clock() }
            let log = try JetStreamLog(start)
            // Outcomes are taken from the node that delivers a webhook.
            let deadline = ContinuousClock.now + .seconds(20)
            while log.keeper.duty != .all, .now < deadline { usleep(2_000) }
            return log
        }
    }

    private static func sqlite(_ name: String, _ durability: Durability) -> LogKind {
        LogKind(testDescription: name, outlivesClosing: durability != .memory) { directory, settings, clock in
            var limits = SQLiteEventLog.Limits()
            limits.retention = settings.retention
            limits.groupEvents = settings.groupEvents ?? limits.groupEvents
            limits.queuedBytes = settings.queuedBytes ?? limits.queuedBytes
            limits.scannedEvents = settings.scannedEvents ?? limits.scannedEvents
            limits.cachedTopics = settings.cachedTopics ?? limits.cachedTopics
            return try SQLiteEventLog(
                at: .directory(directory),
                durability: durability,
                limits: limits,
                clock: clock,
                elapsed: { .milliseconds(clock().milliseconds) }
            )
        }
    }
}

/// A log of some kind, its directory and its clock.
final class LogUnderTest {
    let clock: ManualClock
    private(set) var log: any CompleteLog

    private let kind: LogKind
    private let settings: LogKind.Settings
    private let directory: TemporaryDirectory

    fileprivate init(_ kind: LogKind, _ settings: LogKind.Settings, _ clock: ManualClock) throws {
        self.kind = kind
        self.settings = settings
        self.clock = clock
        directory = try TemporaryDirectory()
        log = try kind.open(directory.path, settings, LogUnderTest.time(of: clock, in: directory))
    }

    /// The log's clock keeps the directory: it must not be removed while the log has it open.
    private static func time(
        of clock: ManualClock,
        in directory: TemporaryDirectory
    ) -> @Sendable () -> Timestamp {
        { withExtendedLifetime(directory) { clock.now } }
    }

    /// Opens the directory again after the log was closed, or has been let go of and closes itself.
    func reopen(within limit: Duration = .seconds(20)) async throws -> any CompleteLog {
        let deadline = ContinuousClock.now + limit
        while true {
            do {
                log = try kind.open(directory.path, settings, LogUnderTest.time(of: clock, in: directory))
                return log
            } catch let error as EventLogError where error.code == .locked && .now < deadline {
                await Task.yield()
            }
        }
    }

    /// Posts without waiting, and lets go of the log.
    func abandon(_ work: (any CompleteLog) -> Void) throws {
        work(log)
        log = try LogKind.memory.open(directory.path, settings) { .now() }
    }
}

extension TopicStore {
    /// Waits until a topic has that many events: history is removed some time after the commit that made it too much.
    func eventuallyHas(_ events: Int64, _ topic: String) async throws -> TopicSummary {
        let deadline = ContinuousClock.now + .seconds(30)
        while true {
            let summary = try #require(try await summary(of: .of(topic)))
            if summary.events == events || ContinuousClock.now > deadline {
                #expect(summary.events == events)
                return summary
            }
            await Task.yield()
        }
    }
}

extension EventLog {
    /// The texts of what is retained of a pattern.
    func texts(_ pattern: String) async throws -> [String] {
        try await read(after: .start, matching: [.of(pattern)], limit: 10_000, byteLimit: .max).events.map(\.text)
    }
}
