import Locking
@testable import Broadcasting

/// An observer that notes what it heard.
final class Recorder<Value: Sendable>: Sendable {
    private let heard = Lock<[Value]>([])
    private let size = SizeOfItsOwn()

    // A copy of its own: the Thread Sanitizer does not see that an array is handed over by its count of references.
    var values: [Value] { heard.withLock { $0.map { $0 } } }

    func hear(_ value: Value) { heard.withLock { $0.append(value) } }
}
