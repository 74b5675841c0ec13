import Foundation

/// Foundation's centre with blocks, which own their observer; the receipt to remove one is the caller's to keep.
final class FoundationCenter: Design, Sendable {
    static let name = "NotificationCenter"

    private let center = NotificationCenter()
    private let counted = Notification.Name("counted")

    func register(_ observer: Counter) { _ = receipt(observer) }

    func notify(times: Int) {
        for _ in 0..<times { center.post(name: counted, object: nil) }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times { center.removeObserver(receipt(observer)) }
    }

    private func receipt(_ observer: Counter) -> any NSObjectProtocol {
        center.addObserver(forName: counted, object: nil, queue: nil) { _ in observer.count() }
    }
}
