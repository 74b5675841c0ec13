import EventLog
import MicroHTTP

/// Why a hub could not do what a program asked it to.
///
/// ```swift
/// do {
///     try await hub.post(draft)
/// } catch {
///     guard error.code == HubError.infoMismatch else { throw error }
///     print(error.pointer ?? "", error.message)    // "/items/3/price" "Expected a number, found a string."
/// }
/// ```
///
/// What the log refused has the log's code, such as `storage-full`, and the `EventLogError` as its cause.
public struct HubError: Error, Sendable, CustomStringConvertible {
    /// The stable code: one of this type's, of `EventLogError`'s, of `TopicError`'s, or of a problem over HTTP, such as `url-invalid`.
    public let code: String

    /// What happened, in words for a programmer.
    public let message: String

    /// The JSON Pointer (RFC 6901) of the place in the data that is to blame; empty if all of it is.
    public let pointer: String?

    /// The error beneath, if there was one.
    public let cause: (any Error)?

    /// An error of those parts.
    public init(code: String, message: String, pointer: String? = nil, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.pointer = pointer
        self.cause = cause
    }

    /// The code and the message, with the place in the data if one is to blame.
    public var description: String {
        pointer.map { "\(code) at \"\($0)\": \(message)" } ?? "\(code): \(message)"
    }

    /// The topic is bound to a notification, and the data is not JSON of what that carries. Nothing was stored.
    public static let infoMismatch = "info-mismatch"

    /// The topic is one of the hub's own, which begin with `clarion.`: only the hub posts on them. Nothing was stored.
    public static let topicReserved = "topic-reserved"

    /// A value cannot be made JSON of. Nothing was stored.
    public static let valueInvalid = "value-invalid"

    /// A route of the program's own begins as one of the hub's does.
    public static let routeTaken = "route-taken"

    /// A route of the program's own is one that no request can match.
    public static let routeInvalid = "route-invalid"

    /// Another notification, or the same one, is bound to the topic already.
    public static let topicBound = "topic-bound"

    /// An origin that web pages are to be let in from cannot be read.
    public static let originInvalid = "origin-invalid"

    /// What the hub is to be known by is no URL for that.
    public static let publicURLInvalid = "public-url-invalid"

    /// A name that the hub is to answer to cannot be read.
    public static let hostInvalid = "host-invalid"

    /// The folder of the web console is none, or cannot be read.
    public static let publicFolderUnreadable = "public-folder-unreadable"

    /// The notification is bound to a topic of this hub already.
    public static let notificationBound = "notification-bound"
}

extension HubError {
    /// - Throws: `topic-reserved`.
    static func requireFree(_ topic: Topic, pointer: String? = nil) throws(HubError) {
        guard topic.isReserved else { return }
        throw HubError(code: topicReserved, message: Topic.reservedDetail, pointer: pointer)
    }

    /// What posts and bindings get once the hub shuts down. To a program this hub does not come back.
    static var draining: HubError {
        HubError(code: "draining", message: "The hub is shutting down, or has shut down: it takes nothing more.")
    }

    /// Runs what the log or a parser of names may refuse.
    static func passingOn<Value>(_ body: () async throws -> Value) async throws(HubError) -> Value {
        do {
            return try await body()
        } catch let error as EventLogError {
            throw HubError(error)
        } catch let error as TopicError {
            throw HubError(error)
        } catch let error as HubError {
            throw error
        } catch {
            throw HubError(code: "internal", message: "\(error)", cause: error)
        }
    }

    init(_ error: EventLogError) {
        self.init(code: error.code.rawValue, message: error.message, cause: error)
    }

    /// What an HTTP client would be told.
    ///
    /// - Parameter pointer: the place of what is to blame; else the problem's own.
    init(_ problem: Problem, pointer: String? = nil) {
        self.init(code: problem.code, message: problem.detail, pointer: pointer ?? problem.pointer)
    }

    init(_ error: TopicError) {
        self.init(code: error.code, message: error.message, cause: error)
    }
}
