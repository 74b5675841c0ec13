import EventLog

/// An observer as the directory has it: held weakly, with what it is looked for by.
final class ListedObserver: Sendable {
    let place: ObserverPage.Cursor
    let id: ObserverID
    let kind: ObserverKind
    let topics: Set<TopicPattern>
    private weak let listener: (any HubObserver)?

    init(_ observer: any HubObserver) {
        place = ObserverPage.Cursor(observer)
        id = observer.id
        kind = observer.kind
        topics = Set(observer.topics)
        listener = observer
    }

    /// The observer; nil if it is gone, or hears nothing more. Never read it while holding a lock: letting it go again may run
    /// its `deinit`.
    var observer: (any HubObserver)? {
        guard let listener, listener.isRegistered else { return nil }
        return listener
    }
}

/// Oldest first.
extension ListedObserver: Comparable {
    static func < (left: ListedObserver, right: ListedObserver) -> Bool { left.place < right.place }
}

/// Each is one of its own.
extension ListedObserver: Hashable {
    static func == (left: ListedObserver, right: ListedObserver) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
