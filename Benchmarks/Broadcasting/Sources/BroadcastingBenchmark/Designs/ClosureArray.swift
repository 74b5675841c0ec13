/// The floor: an array of closures that own what they call. No keys, no lock, no end of a registration.
final class ClosureArray: Design {
    static let name = "bare array of closures"

    private var closures: [() -> Void] = []

    func register(_ observer: Counter) {
        closures.append { observer.count() }
    }

    func notify(times: Int) {
        for _ in 0..<times {
            for closure in closures { closure() }
        }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            closures.removeLast()
        }
    }
}
