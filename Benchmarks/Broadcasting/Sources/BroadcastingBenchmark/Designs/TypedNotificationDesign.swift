import Broadcasting

final class TypedNotificationDesign: WeakDesign {
    static let name = "TypedNotification"

    private enum Counted: TypedNotification {
        typealias Info = Int
        static let name = "counted"
    }

    private let center = TypedNotificationCenter()

    func register(_ observer: Counter) {
        Counted.observe(observer, in: center) { observer, _ in observer.count() }
    }

    func notify(times: Int) {
        for number in 0..<times { Counted.post(number, in: center) }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            Counted.removeObserver(observer, in: center)
        }
    }
}
