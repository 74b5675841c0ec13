import EventLog
import Locking
import Posix
import Synchronization

/// Looks at the stream every two seconds, and sees to what it finds: whether this node takes what it holds, and whether
/// somebody has set it so that it loses messages.
final class StreamWatch: Sendable {
    private let stream: StreamAPI
    private let publisher: Publisher
    private let replica: Replica
    private let report: @Sendable (String) -> Void

    /// What the thread knows.
    private struct Memory {
        var progress = StreamProgress()
        var looked: ContinuousClock.Instant?
    }

    /// How often it looks.
    private static let interval = Duration.seconds(2)

    /// - Parameter report: told, as a sentence, of what is wrong.
    init(
        _ stream: StreamAPI,
        _ publisher: Publisher,
        _ replica: Replica,
        report: @escaping @Sendable (String) -> Void
    ) {
        (self.stream, self.publisher, self.replica) = (stream, publisher, replica)
        self.report = report
    }

    func run(until isStopped: () -> Bool) {
        var memory = Memory()
        while !isStopped() {
            _ = Semaphore().wait(atMost: .milliseconds(100))
            let now = ContinuousClock.now
            if let looked = memory.looked, now - looked < Self.interval { continue }
            memory.looked = now
            look(&memory, at: now)
        }
    }

    private func look(_ memory: inout Memory, at now: ContinuousClock.Instant) {
        let found = publisher.isConnected && replica.fault == nil ? try? stream.read() : nil
        if let lossy = found?.lossySettings {
            let fault = Self.fault(of: stream.subjects.stream, lossy)
            replica.fail(fault)
            report(fault)
        }
        let isStuck = memory.progress.isStuck(taken: replica.taken, last: found?.last, at: now)
        if replica.setStuck(isStuck), isStuck {
            report(
                """
                What is written to the cluster's log does not come back to this node: it takes no posts, and delivers nothing. \
                If the servers have users with permissions, see that they are those of docs/clustering.md.
                """
            )
        }
    }

    /// Why a log whose servers remove messages by themselves is not to be used.
    static func fault(of stream: String, _ settings: String) -> String {
        """
        The servers' settings of the stream \(stream) have them remove what was acknowledged (\(settings)): nodes would not \
        hold the same, and webhooks would be lost. Unset them (nats stream edit), bound topics by --retention-… instead, and \
        start the nodes anew.
        """
    }
}
