/// A request that was answered, for whoever counts or logs: what is told of it when its answer, or the head of a stream,
/// is handed to the connection.
public struct ServedRequest: Sendable {
    /// Its id: see ``Request/id``.
    public let id: String

    /// Nil if the head could not be read that far.
    public let method: Method?

    /// The place of its route's pattern in ``Router/patterns``; nil if no route has its path, or it was refused before
    /// that was looked for.
    public let pattern: Int?

    /// The status of the answer.
    public let status: Status

    /// The code of the problem that it was answered with, if that was one.
    public let problem: String?

    /// For how long it was being answered, from when all of it was there, in nanoseconds; 0 for one that was refused
    /// before.
    public let duration: Int64

    /// Who sent it: see ``Request/identity``.
    public var identity: (any AnyObject & Sendable)? { record?.identity }

    private let record: RequestRecord?

    init(
        id: String,
        method: Method?,
        status: Status,
        problem: String?,
        duration: Int64 = 0,
        record: RequestRecord? = nil
    ) {
        self.id = id
        self.method = method
        self.status = status
        self.problem = problem
        self.duration = duration
        self.record = record
        pattern = record?.pattern
    }
}
