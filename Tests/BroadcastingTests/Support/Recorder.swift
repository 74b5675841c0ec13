import Locking
@testable import Broadcasting

/// An observer that notes what it heard.
final class Recorder<Value: Sendable>: Sendable {
    private let heard = Lock<[Value]>([])

    var values: [Value] { heard.withLock { $0 } }

    func hear(_ value: Value) { heard.withLock { $0.append(value) } }
}
