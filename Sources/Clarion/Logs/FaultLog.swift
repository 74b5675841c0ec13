import EventLog
import Locking
import Logging

/// Tells the operator what went wrong where a client learns only that something did. What meets every request as long as it
/// lasts, such as a full disk, is told once a minute.
final class FaultLog: Sendable {
    private let logger: Logger
    /// What was told within the pause, the oldest first, of so many at the most.
    private let told = Lock<[(code: EventLogError.Code, message: String, at: ContinuousClock.Instant)]>([])
    private static let capacity = 16

    private static let pause = Duration.seconds(60)

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// An error that nothing was expected to have.
    func tell(unexpected error: any Error, request: String) {
        logger.error("request failed", metadata: ["request": .string(request), "error": "\(error)"])
    }

    /// What the log could not do.
    /// - Parameter request: the id of the request that met it, if one did.
    func tell(_ error: EventLogError, request: String? = nil) {
        var metadata: Logger.Metadata = ["code": .string(error.code.rawValue), "error": "\(error)"]
        metadata["request"] = request.map { .string($0) }
        switch error.code {
        // The hub stops.
        case .closed: break
        case .storageFull: warn(error, "the log's disk is full: posts are refused", metadata)
        case .unavailable: warn(error, "the cluster's log is not to be had", metadata)
        case .missing: if isDue(error) { logger.error("\(error.message)") }
        case .diskFailed: if isDue(error) { logger.error("the log's disk fails", metadata: metadata) }
        // Of a request there is a line with its id. What nobody asked for is tried again and again.
        default: if request != nil || isDue(error) { logger.error("the log failed", metadata: metadata) }
        }
    }

    private func warn(_ error: EventLogError, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        if isDue(error) { logger.warning(message, metadata: metadata) }
    }

    private func isDue(_ error: EventLogError) -> Bool {
        told.withLock { told in
            let now = ContinuousClock.now
            told.removeAll { now - $0.at >= Self.pause }
            if told.contains(where: { $0.code == error.code && $0.message == error.message }) { return false }
            if told.count == Self.capacity { told.removeFirst() }
            told.append((error.code, error.message, now))
            return true
        }
    }
}
