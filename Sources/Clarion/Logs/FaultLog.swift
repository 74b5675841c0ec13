import EventLog
import Locking
import Logging

/// Tells the operator what went wrong where a client learns only that something did. What meets every request as long as it
/// lasts, such as a full disk, is told once a minute.
final class FaultLog: Sendable {
    private let logger: Logger
    /// What was told last of each code, and when.
    private let told = Lock<[EventLogError.Code: (message: String, at: ContinuousClock.Instant)]>([:])

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
        case .storageFull: warn(error, "the log's disk is full: posts are refused", metadata)
        case .unavailable: warn(error, "the cluster's log is not to be had", metadata)
        case .missing: if isDue(error) { logger.error("\(error.message)") }
        default: logger.error("the log failed", metadata: metadata)
        }
    }

    private func warn(_ error: EventLogError, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        if isDue(error) { logger.warning(message, metadata: metadata) }
    }

    private func isDue(_ error: EventLogError) -> Bool {
        told.withLock { told in
            let now = ContinuousClock.now
            if let last = told[error.code], last.message == error.message, now - last.at < Self.pause { return false }
            told[error.code] = (error.message, now)
            return true
        }
    }
}
