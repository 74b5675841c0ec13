import Locking
@testable import Broadcasting

/// An observer that notes what it heard.
final class Recorder<Value: Sendable>: Sendable {
    private let heard = Lock<[Value]>([])

    /// Copied one by one: the buffer itself would be handed over by its reference count alone, which the Thread Sanitizer does not see.
    var values: [Value] { heard.withLock { $0.map(\.self) } }

    func hear(_ value: Value) { heard.withLock { $0.append(value) } }
}
