import EventLog
import Locking

/// Writes messages that say nothing, to see whether the cluster takes what is written and how far it is: performs what
/// ``ProbeTurns`` decides. However many ask, the servers have one such message under way from a node.
final class Probes: Sendable {
    typealias Asker = CheckedContinuation<Result<UInt64, EventLogError>, Never>

    private let turns = Lock(ProbeTurns<Asker>())
    private let publisher: Publisher
    private let subject: String

    init(_ publisher: Publisher, to subject: String) { (self.publisher, self.subject) = (publisher, subject) }

    /// - Returns: the place of a message that the servers have.
    func ask(_ question: ProbeTurns<Asker>.Question) async throws(EventLogError) -> UInt64 {
        let result: Result<UInt64, EventLogError> = await withCheckedContinuation { asker in
            switch turns.withLock({ $0.ask(question, asker, at: .now) }) {
            case .tell(let sequence): asker.resume(returning: .success(sequence))
            case .write: write()
            case .wait: break
            }
        }
        return try result.get()
    }

    private func write() {
        publisher.send(.probe, to: subject, .storing { [self] in end($0) })
    }

    private func end(_ stored: Result<UInt64, EventLogError>) {
        let (told, mustWrite) = turns.withLock { $0.end(try? stored.get(), at: .now) }
        for asker in told { asker.resume(returning: stored) }
        if mustWrite { write() }
    }
}
