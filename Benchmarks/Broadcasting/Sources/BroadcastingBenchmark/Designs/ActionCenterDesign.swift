import Broadcasting

final class ActionCenterDesign: WeakDesign {
    static let name = "ActionCenter"

    private enum Deed: Action { case done }

    private let center = ActionCenter()

    func register(_ observer: Counter) {
        center.on(Deed.done, observer: observer, deliver: .immediate) { observer, _ in observer.count() }
    }

    func notify(times: Int) {
        for _ in 0..<times { center.send(Deed.done) }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            center.remove(Deed.done, observer: observer)
        }
    }
}
