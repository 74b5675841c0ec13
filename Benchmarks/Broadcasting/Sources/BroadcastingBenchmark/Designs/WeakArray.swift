/// The floor of whoever does not own its observers: the same without keys or a lock, but with weak references.
final class WeakArray: Design {
    static let name = "bare array of weak references"

    private final class Entry {
        weak let observer: Counter?
        let handler: (Counter) -> Void

        init(_ observer: Counter, _ handler: @escaping (Counter) -> Void) {
            self.observer = observer
            self.handler = handler
        }
    }

    private var entries: [Entry] = []

    func register(_ observer: Counter) {
        entries.append(Entry(observer) { $0.count() })
    }

    func notify(times: Int) {
        for _ in 0..<times {
            for entry in entries {
                if let observer = entry.observer { entry.handler(observer) }
            }
        }
    }

    func registerAndUnregister(_ observer: Counter, times: Int) {
        for _ in 0..<times {
            register(observer)
            entries.removeLast()
        }
    }
}
