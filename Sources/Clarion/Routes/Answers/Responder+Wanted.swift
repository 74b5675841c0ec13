import MicroHTTP

extension Responder {
    /// Does work for the client in steps, and cancels it once the client is gone.
    ///
    /// - Throws: `client-gone`, and what the work throws.
    func whileWanted<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                // Nothing tells of a client that leaves while its connection is suspended.
                repeat { try await Task.sleep(for: Self.interval) } while !self.isAbandoned
                return nil
            }
            defer { group.cancelAll() }
            guard let value = try await group.next() ?? nil else { throw Problem.clientGone }
            return value
        }
    }

    /// How often to look: most work is done before the first time.
    private static let interval = Duration.milliseconds(100)
}
