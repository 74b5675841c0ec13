/// The durable observers in memory, indexed by what they match: always what the table says, seen from inside the
/// transaction that is being written. What a transaction did is undone if it fails.
struct ObserverRegistry {
    /// How far the transaction has come, for going back to.
    struct Mark {
        fileprivate var changes: Int
    }

    private var observers: [String: RegisteredObserver] = [:]
    private var index = TopicPatternIndex<RegisteredObserver>()
    /// Which ids the transaction has changed, in order, and whose they were before.
    private var changes: [(id: String, before: RegisteredObserver?)] = []

    var count: Int { observers.count }

    subscript(id: String) -> RegisteredObserver? { observers[id] }

    var mark: Mark { Mark(changes: changes.count) }

    /// Adds an observer, in place of the one of that id.
    mutating func insert(_ observer: RegisteredObserver) {
        change(observer.id, to: observer)
    }

    mutating func remove(_ id: String) {
        change(id, to: nil)
    }

    /// The ids of those that are registered for exactly this topic or pattern.
    func ids(of pattern: TopicPattern) -> [String] {
        observers.values.filter { $0.topics.contains(pattern) }.map(\.id)
    }

    /// Calls back once for each observer that is to get an event.
    /// - Parameter look: another number each time. The position would not do: it comes again after a transaction that failed.
    func forEachRecipient(
        of event: Event,
        look: Int64,
        _ body: (RegisteredObserver) throws -> Void
    ) rethrows {
        if index.count == 0 { return }
        try index.forEachMatch(event.topic) { observer in
            guard observer.lastLook != look, observer.wants(type: event.type) else { return }
            observer.lastLook = look
            try body(observer)
        }
    }

    /// The transaction was committed.
    mutating func commit() {
        if !changes.isEmpty { changes = [] }
    }

    /// The transaction failed.
    mutating func rollBack() {
        rollBack(to: Mark(changes: 0))
    }

    /// A part of the transaction failed.
    mutating func rollBack(to mark: Mark) {
        while changes.count > mark.changes, let change = changes.popLast() { set(change.id, to: change.before) }
    }

    private mutating func change(_ id: String, to observer: RegisteredObserver?) {
        changes.append((id, observers[id]))
        set(id, to: observer)
    }

    private mutating func set(_ id: String, to observer: RegisteredObserver?) {
        if let present = observers[id], present.receives {
            for pattern in present.topics { index.remove(present, for: pattern) }
        }
        observers[id] = observer
        guard let observer, observer.receives else { return }
        for pattern in observer.topics { index.insert(observer, for: pattern) }
    }
}
