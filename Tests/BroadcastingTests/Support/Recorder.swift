import Synchronization

/// An observer that notes what it heard.
final class Recorder<Value: Sendable>: Sendable {
    private let heard = Mutex<[Value]>([])

    var values: [Value] { heard.withLock { $0 } }

    func hear(_ value: Value) { heard.withLock { $0.append(value) } }
}
