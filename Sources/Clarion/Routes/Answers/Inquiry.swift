import MicroHTTP

/// What a handler has that finds out much before it answers.
struct Inquiry: Sendable {
    /// Who waits for the answer.
    let responder: Responder

    /// Where answers are made.
    let answers: AnswerRoom

    /// Finds something out in steps, before the answer takes its turn: others need not wait for it. Cancelled once the client
    /// is gone.
    ///
    /// - Throws: `client-gone`, and what the work throws.
    func find<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await responder.whileWanted(work)
    }

    /// Makes the answer of what was found out.
    ///
    /// - Throws: `overloaded` if there is no turn or no room for it in time.
    func answer(_ make: () async throws -> Response) async throws -> Response { try await answers.make(make) }
}
