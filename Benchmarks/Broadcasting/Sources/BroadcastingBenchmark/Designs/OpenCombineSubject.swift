import OpenCombine

/// A subject with sinks, which own their observer; a sink ends with its cancellable.
final class OpenCombineSubject: Design {
    static let name = "OpenCombine PassthroughSubject"

    private let subject = PassthroughSubject<Int, Never>()
    private var sinks: [AnyCancellable] = []

    func register(_ observer: Counter) { sinks.append(sink(observer)) }

    func notify(times: Int) {
        for number in 0..<times { subject.send(number) }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times { sink(observer).cancel() }
    }

    private func sink(_ observer: Counter) -> AnyCancellable {
        subject.sink { _ in observer.count() }
    }
}
