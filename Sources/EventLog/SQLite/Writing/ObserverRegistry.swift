/// The durable observers in memory, and how far each has come: always what the tables say, seen from inside the
/// transaction that is being written. What a transaction did is undone if it fails.
struct ObserverRegistry {
    /// How far the transaction has come, for going back to.
    struct Mark {
        fileprivate var changes: Int
    }

    /// What is undone if a transaction fails.
    private enum Change {
        case observer(id: String, before: RegisteredObserver?)
        case cursor(key: Int64, before: Int64?)
    }

    private var observers: [String: RegisteredObserver] = [:]
    private var cursors: [Int64: Int64] = [:]
    private var index = TopicPatternIndex<RegisteredObserver>()
    private var changes: [Change] = []

    var count: Int { observers.count }

    subscript(id: String) -> RegisteredObserver? { observers[id] }

    /// The ids in some order that stays while none comes or goes.
    var ids: Dictionary<String, RegisteredObserver>.Keys { observers.keys }

    var mark: Mark { Mark(changes: changes.count) }

    /// An observer's place in the log.
    func subscription(of observer: RegisteredObserver) -> Subscription {
        Subscription(key: observer.key, cursor: cursors[observer.key] ?? 0, interests: observer.interests)
    }

    /// Adds an observer, in place of the one of that id.
    mutating func insert(_ observer: RegisteredObserver) {
        changes.append(.observer(id: observer.id, before: observers[observer.id]))
        set(observer.id, to: observer)
    }

    mutating func remove(_ id: String) {
        guard let present = observers[id] else { return }
        move(present.key, to: nil)
        changes.append(.observer(id: id, before: present))
        set(id, to: nil)
    }

    /// Moves an observer's cursor.
    mutating func move(_ key: Int64, to cursor: Int64?) {
        changes.append(.cursor(key: key, before: cursors[key]))
        cursors[key] = cursor
    }

    /// The ids of those that are registered for exactly this topic or pattern.
    func ids(of pattern: TopicPattern) -> [String] {
        observers.values.filter { $0.topics.contains(pattern) }.map(\.id)
    }

    /// Those that may still wait for events of a topic.
    func subscriptions(to topic: Topic) -> [Subscription] {
        if index.count == 0 { return [] }
        var found: Set<RegisteredObserver> = []
        index.forEachMatch(topic) { found.insert($0) }
        return found.map(subscription)
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
        while changes.count > mark.changes, let change = changes.popLast() {
            switch change {
            case .observer(let id, let before): set(id, to: before)
            case .cursor(let key, let before): cursors[key] = before
            }
        }
    }

    private mutating func set(_ id: String, to observer: RegisteredObserver?) {
        if let present = observers[id] {
            for pattern in present.patterns { index.remove(present, for: pattern) }
        }
        observers[id] = observer
        guard let observer else { return }
        for pattern in observer.patterns { index.insert(observer, for: pattern) }
    }
}
