import EventLog
import Locking
import Logging

/// Tells the operator what went wrong where a client learns only that something did. What meets every request as long as it
/// lasts, such as a full disk, is told once a minute.
final class FaultLog: Sendable {
    private let logger: Logger
    private let told = Lock<[EventLogError.Code: ContinuousClock.Instant]>([:])

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
        case .storageFull: warn(error.code, "the log's disk is full: posts are refused", metadata)
        case .unavailable: warn(error.code, "the cluster's log is not to be had", metadata)
        case .missing: if isDue(error.code) { logger.error("\(error.message)") }
        default: logger.error("the log failed", metadata: metadata)
        }
    }

    private func warn(_ code: EventLogError.Code, _ message: Logger.Message, _ metadata: Logger.Metadata) {
        if isDue(code) { logger.warning(message, metadata: metadata) }
    }

    private func isDue(_ code: EventLogError.Code) -> Bool {
        told.withLock { told in
            let now = ContinuousClock.now
            if let last = told[code], now - last < Self.pause { return false }
            told[code] = now
            return true
        }
    }
}
