import EventLog
import Locking

/// Appends about which the copy must be asked before they are published, and those handed in after them: in their order.
final class Admissions: Sendable {
    typealias Work = @Sendable () async -> Void

    private struct State {
        var waiting: [Work] = []
        var isWorking = false
    }

    private let state = Lock(State())

    /// How many may wait: each holds what is to be posted.
    private static let most = 1_024

    /// Whether nothing waits, so that what need not be asked about may be published at once.
    var isIdle: Bool { state.withLock { !$0.isWorking } }

    /// Has something done when all before it is.
    /// - Returns: false if too much waits already.
    func enqueue(_ work: @escaping Work) -> Bool {
        let (isTaken, mustStart) = state.withLock { state in
            guard state.waiting.count < Self.most else { return (false, false) }
            state.waiting.append(work)
            defer { state.isWorking = true }
            return (true, !state.isWorking)
        }
        if mustStart { Task { await self.run() } }
        return isTaken
    }

    private func run() async {
        while true {
            let works = state.withLock { state in
                defer { state.waiting = [] }
                state.isWorking = !state.waiting.isEmpty
                return state.waiting
            }
            if works.isEmpty { return }
            for work in works { await work() }
        }
    }
}
