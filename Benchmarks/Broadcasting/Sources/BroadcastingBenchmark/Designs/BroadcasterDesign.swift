import Broadcasting

final class BroadcasterDesign: WeakDesign, Sendable {
    static let name = "Broadcaster"

    private let broadcaster = Broadcaster()

    func register(_ observer: Counter) {
        broadcaster.register((any Counting).self, observer: observer, deliver: .immediate)
    }

    func notify(times: Int) {
        for _ in 0..<times { broadcaster.notify((any Counting).self) { $0.count() } }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            broadcaster.unregister((any Counting).self, observer: observer)
        }
    }
}
