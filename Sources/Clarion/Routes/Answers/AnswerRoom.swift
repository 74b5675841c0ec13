import MicroHTTP

/// Has answers that are kept whole count in the budget of all readers, until their clients have read them.
final class AnswerRoom: Sendable {
    /// How long a client that wants an answer waits for room.
    static let longestWait = Duration.seconds(3)

    /// How long it waits for its turn.
    private static let longestTurn = Duration.seconds(5)

    /// What a connection costs anyway: bodies up to this are not counted.
    private static let uncounted = 4 * 1024

    private let memory: ReaderMemory

    /// Turns instead of bytes: how many answers are being made at once, whose sizes are known only then.
    private let turns = ReaderMemory(limit: 16)

    init(memory: ReaderMemory) {
        self.memory = memory
    }

    /// Makes an answer that can be made again: where there is no room for it at first, it does not wait in memory.
    ///
    /// - Throws: `overloaded` if there is no turn or no room for it in time.
    func make(_ answer: () async throws -> Response) async throws -> Response {
        var hold: MemoryHold?
        while true {
            switch try await attempt(answer, with: hold) {
            case .made(let response): return response
            case .needs(let size): hold = try await wait(for: size)
            }
        }
    }

    private enum Attempt {
        case made(Response)
        /// There is no room for so many bytes; the response was dropped.
        case needs(Int)
    }

    private func attempt(_ answer: () async throws -> Response, with hold: MemoryHold?) async throws -> Attempt {
        // Not while waiting for room: others find theirs meanwhile.
        let free = turns.holdNow(1)
        guard let turn = if let free { free } else { await turns.hold(1, within: Self.longestTurn) } else {
            throw Problem.answersOverloaded
        }
        defer { withExtendedLifetime(turn) {} }
        var response = try await answer()
        let size = response.body.count
        if size > Self.uncounted {
            // It may have grown since room was taken for it.
            let enough = hold.flatMap { $0.bytes >= size ? $0 : nil } ?? memory.holdNow(size)
            guard let enough else { return .needs(size) }
            response.retained = enough
        }
        return .made(response)
    }

    /// A response that counts until it was sent.
    ///
    /// - Throws: `overloaded` if there is no room for it in time.
    func held(_ response: Response) async throws(Problem) -> Response {
        guard response.body.count > Self.uncounted else { return response }
        var held = response
        held.retained = try await wait(for: response.body.count)
        return held
    }

    private func wait(for size: Int) async throws(Problem) -> MemoryHold {
        guard let hold = await memory.hold(size, within: Self.longestWait) else { throw Problem.readersOverloaded }
        return hold
    }
}
