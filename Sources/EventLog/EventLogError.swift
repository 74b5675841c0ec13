/// Why a log could not do what it was asked to.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
    /// The stable code.
    public let code: Code

    /// What happened, in words for an operator.
    public let message: String

    /// Which draft of the append is to blame, from 0, or for ``Code/valueChanged`` which of its conditions; nil if none is.
    public let place: Int?

    /// What an operator can do, where it is something else than what helps with errors of its code; nil otherwise.
    public let advice: String?

    /// The error beneath, if there was one: for the log line, never for a client.
    public let cause: (any Error)?

    /// An error of those parts: logs make them.
    public init(
        code: Code,
        message: String,
        place: Int? = nil,
        advice: String? = nil,
        cause: (any Error)? = nil
    ) {
        (self.code, self.message, self.place, self.advice, self.cause) = (code, message, place, advice, cause)
    }

    /// The code and the message, the advice, and the error beneath.
    public var description: String {
        let text = "\(code.rawValue): \(message)" + (advice.map { " \($0)" } ?? "")
        return cause.map { "\(text) (\($0))" } ?? text
    }

    /// What went wrong; the raw values do not change.
    public enum Code: String, Sendable {
        /// There is no space left on the disk, or in the memory that the log may use. Nothing was stored; it may be tried again.
        case storageFull = "storage-full"

        /// There are as many topics, observers or idempotency keys as the log may have. Nothing was stored.
        case limitReached = "limit-reached"

        /// More is waiting to be written than the log's limit allows, or the process has no descriptor left. Nothing was stored; it
        /// may be tried again.
        case overloaded

        /// The log was closed.
        case closed

        /// The file is a log, but damaged.
        case corrupt = "log-corrupt"

        /// The disk of the log, or what it is reached by, fails to read or write. The file may be whole.
        case diskFailed = "disk-failed"

        /// The file is no log of this program, or of a later version of it, or it is a copy beside which the write-ahead log of
        /// another log was left, or a symbolic link to a log.
        case foreign = "log-foreign"

        /// There is no log in the directory.
        case missing = "log-missing"

        /// Another process, or another log of this process, has the directory open.
        case locked = "log-locked"

        /// The directory or a file in it cannot be made, opened or written.
        case unwritable = "log-unwritable"

        /// A copy of the log cannot be made where it is to be. The log is as it was.
        case copyUnwritable = "copy-unwritable"

        /// The log is elsewhere and cannot be reached, or does not answer in time. What was to be written may have been.
        case unavailable = "log-unavailable"

        /// Anything else that went wrong beneath.
        case failed = "log-failed"

        /// An idempotency key was used for something else before. Nothing was stored.
        case idempotencyConflict = "idempotency-conflict"

        /// The topic's newest event is not what the append was to find. Nothing was stored.
        case valueChanged = "value-changed"

        /// The observer is not at the revision that was expected, or there is none of that id.
        case revisionChanged = "revision-changed"
    }
}

extension EventLogError {
    package static let isClosed = EventLogError(code: .closed, message: "The log is closed.")
    package static let overloaded = EventLogError(
        code: .overloaded,
        message: "More is being posted than the log can write."
    )
}
