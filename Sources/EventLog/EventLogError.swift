/// Why a log could not do what it was asked to.
public struct EventLogError: Error, Sendable, CustomStringConvertible {
    /// The stable code, one of the constants of this type.
    public let code: String

    /// What happened, in words for an operator.
    public let message: String

    /// Which draft of the append is to blame, from 0, or for ``valueChanged`` which of its conditions; nil if none is.
    public let place: Int?

    /// The error beneath, if there was one: for the log line, never for a client.
    public let cause: (any Error)?

    /// An error of those parts.
    public init(code: String, message: String, place: Int? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.place = place
        self.cause = cause
    }

    /// The code and the message, and the error beneath.
    public var description: String {
        cause.map { "\(code): \(message) (\($0))" } ?? "\(code): \(message)"
    }

    /// There is no room left on the disk, or in the memory that the log may use. Nothing was stored; it may be tried again.
    public static let storageFull = "storage-full"

    /// There are as many topics, observers or idempotency keys as the log may have. Nothing was stored.
    public static let limitReached = "limit-reached"

    /// More is waiting to be written than the log's limit allows. Nothing was stored; it may be tried again.
    public static let overloaded = "overloaded"

    /// The log was closed.
    public static let closed = "closed"

    /// The file is a log, but damaged.
    public static let corrupt = "log-corrupt"

    /// The file is no log of this program, or of a later version of it.
    public static let foreign = "log-foreign"

    /// There is no log in the directory.
    public static let missing = "log-missing"

    /// Another process, or another log of this process, has the directory open.
    public static let locked = "log-locked"

    /// The directory or a file in it cannot be made, opened or written.
    public static let unwritable = "log-unwritable"

    /// Anything else that went wrong beneath.
    public static let failed = "log-failed"

    /// An idempotency key was used for something else before. Nothing was stored.
    public static let idempotencyConflict = "idempotency-conflict"

    /// The topic's newest event is not what the append was to find. Nothing was stored.
    public static let valueChanged = "value-changed"

    /// The observer is not at the revision that was expected, or there is none of that id.
    public static let revisionChanged = "revision-changed"
}
