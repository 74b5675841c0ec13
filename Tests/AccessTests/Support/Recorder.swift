import Locking

/// Counts calls.
final class Recorder: Sendable {
    private let calls = Lock(0)

    var count: Int { calls.withLock { $0 } }

    func record() { calls.withLock { $0 += 1 } }
}
