import Broadcasting

final class MulticastDelegateDesign: WeakDesign {
    static let name = "MulticastDelegate"

    private let delegates = MulticastDelegate<any Counting>()

    func register(_ observer: Counter) {
        delegates.add(observer, deliver: .immediate)
    }

    func notify(times: Int) {
        for _ in 0..<times { delegates.invoke { $0.count() } }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            delegates.remove(observer)
        }
    }
}
