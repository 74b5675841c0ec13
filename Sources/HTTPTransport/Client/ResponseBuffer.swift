import Locking

/// What has come of an answer and was not yet read: written by the transport thread, read by one task.
///
/// It holds so much and no more. When it is full the transfer pauses, and the server waits: so a reader that stands still
/// costs what is in here, and what the kernel holds.
final class ResponseBuffer: Sendable {
    /// How many bytes wait at most, but for one piece of libcurl's (16 KiB) more.
    static let limit = 256 * 1024

    private struct State {
        var head: HTTPHead?
        var pieces: [[UInt8]] = []
        var size = 0
        var isPaused = false
        var end: Result<Void, HTTPFailure>?
        var waiter: CheckedContinuation<Void, Never>?
        /// Counts what the transport thread has done, so that nothing passes between a look and the wait after it.
        var changes = 0
    }

    private let state = Lock(State())

    // The transport thread's side

    func take(_ head: HTTPHead) {
        change { $0.head = head }
    }

    /// - Returns: false if there is no room: the piece comes again when the transfer goes on.
    func take(_ bytes: [UInt8]) -> Bool {
        var isTaken = false
        change { state in
            state.isPaused = state.size >= Self.limit
            guard !state.isPaused else { return }
            state.pieces.append(bytes)
            state.size += bytes.count
            isTaken = true
        }
        return isTaken
    }

    /// The transfer is over. What came before is still to be read.
    func end(_ result: Result<Void, HTTPFailure>) {
        change { if $0.end == nil { $0.end = result } }
    }

    private func change(_ body: (inout State) -> Void) {
        let waiter = state.withLock { state in
            body(&state)
            state.changes += 1
            return state.waiter.take()
        }
        waiter?.resume()
    }

    // The reader's side

    /// The head, when it has come.
    func head() async throws(HTTPFailure) -> HTTPHead {
        while true {
            let (head, end, changes) = state.withLock { ($0.head, $0.end, $0.changes) }
            if let head { return head }
            if case .failure(let failure) = end { throw failure }
            guard end == nil else { throw HTTPFailure(.interrupted, "the answer has no head") }
            try await wait(since: changes)
        }
    }

    /// All that has come since, or the next that comes; nil at the end.
    ///
    /// - Parameter goOn: called if the transfer had paused.
    func next(_ goOn: () -> Void) async throws(HTTPFailure) -> [UInt8]? {
        while true {
            // Also while more comes than is taken.
            try Self.checkCancellation()
            let (pieces, wasPaused, end, changes) = state.withLock { state in
                let pieces = state.pieces
                let wasPaused = state.isPaused && !pieces.isEmpty
                state.pieces = []
                state.size = 0
                if wasPaused { state.isPaused = false }
                return (pieces, wasPaused, state.end, state.changes)
            }
            if wasPaused { goOn() }
            if !pieces.isEmpty { return pieces.count == 1 ? pieces[0] : Array(pieces.joined()) }
            switch end {
            case .success: return nil
            case .failure(let failure): throw failure
            case nil: try await wait(since: changes)
            }
        }
    }

    /// Until something has changed, or the task is cancelled.
    private func wait(since changes: Int) async throws(HTTPFailure) {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mustWait = state.withLock { state in
                    guard !Task.isCancelled, state.changes == changes else { return false }
                    state.waiter = continuation
                    return true
                }
                if !mustWait { continuation.resume() }
            }
        } onCancel: {
            change { _ in }
        }
        try Self.checkCancellation()
    }

    private static func checkCancellation() throws(HTTPFailure) {
        if Task.isCancelled { throw HTTPFailure(.cancelled, "the task was cancelled") }
    }
}
