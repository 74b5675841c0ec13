import Broadcasting

final class ObservableValueDesign: WeakDesign {
    static let name = "ObservableValue"

    private let variable = ObservableValue(0)

    func register(_ observer: Counter) {
        variable.observe(observer) { observer, _ in observer.count() }
    }

    func notify(times: Int) {
        for number in 0..<times { variable.value = number }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            variable.removeObserver(observer)
        }
    }
}
