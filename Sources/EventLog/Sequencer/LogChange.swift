/// A write to the log that is not an event: it runs in the same transactions, in turn with the events, so that an event
/// committed after it finds it done.
struct LogChange: Sendable {
    /// Writes, in a savepoint of its own; what it changed in memory it must not have changed if it throws. Answers what
    /// to call once the transaction is committed.
    let perform: @Sendable (LogTables) throws -> @Sendable () -> Void

    /// Whether it helps to make space on a full disk, or needs none, so that it is carried out there too.
    let makesRoom: Bool

    /// The bytes that it may add and that stay: where posts are refused it leaves half of the reserve to others. 0 for what
    /// makes space.
    let lastingBytes: Int

    /// Whether it waits for the disk, if durability asks for it. Otherwise a power cut may take what was written within the last
    /// second (``LogWriter``).
    let awaitsDisk: Bool

    /// Called instead if it threw, or the whole transaction failed.
    let fail: @Sendable (EventLogError) -> Void

    /// A change that answers through a callback.
    init<Value: Sendable>(
        makesRoom: Bool,
        lastingBytes: Int = 0,
        awaitsDisk: Bool = true,
        _ completion: @escaping @Sendable (Result<Value, EventLogError>) -> Void,
        _ body: @escaping @Sendable (LogTables) throws -> Value
    ) {
        (self.makesRoom, self.lastingBytes, self.awaitsDisk) = (makesRoom, lastingBytes, awaitsDisk)
        perform = { tables in
            let value = try body(tables)
            return { completion(.success(value)) }
        }
        fail = { completion(.failure($0)) }
    }
}
