import Locking
import Synchronization

/// What is found out about a request on its way, for whoever is told of its answer: all copies of the request share it.
final class RequestRecord: Sendable {
    private let patternNumber = Atomic(-1)
    private let who = Lock<(any AnyObject & Sendable)?>(nil)

    /// The number of the route's pattern; nil while there is none.
    var pattern: Int? {
        get {
            let number = patternNumber.load(ordering: .relaxed)
            return number < 0 ? nil : number
        }
        set { patternNumber.store(newValue ?? -1, ordering: .relaxed) }
    }

    /// See ``Request/identity``.
    var identity: (any AnyObject & Sendable)? {
        get { who.withLock { $0 } }
        set { who.withLock { $0 = newValue } }
    }
}
