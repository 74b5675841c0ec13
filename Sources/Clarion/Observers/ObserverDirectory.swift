import EventLog
import Locking

/// Everybody who listens: finds observers by id, lists them oldest first and by their patterns, and counts who hears a topic.
///
/// It owns none of them. What it knows it keeps as they come and go, so a question costs what its answer has, however many
/// there are besides.
///
/// And it is the one place that knows that the hub stops: see ``close()``.
///
/// The lock is held for bookkeeping only. No observer is loaded in it, for letting one go may run its `deinit`, which comes
/// here.
final class ObserverDirectory: Sendable {
    /// An observer's entry, which ends when this is released: the observer keeps it.
    final class Listing: Sendable {
        private let listed: ListedObserver
        private let directory: ObserverDirectory

        fileprivate init(_ listed: ListedObserver, _ directory: ObserverDirectory) {
            self.listed = listed
            self.directory = directory
        }

        deinit { directory.state.withLock { $0.remove(listed) } }
    }

    private struct State {
        var ids: [ObserverID: ListedObserver] = [:]
        var order = SortedChunks<ListedObserver>()
        var census = ObserverCensus()
        var isClosed = false

        mutating func insert(_ listed: ListedObserver) {
            if let displaced = ids[listed.id] { remove(displaced) }
            ids[listed.id] = listed
            order.insert(listed)
            census.insert(listed)
        }

        /// Nothing, if another has its id by now.
        mutating func remove(_ listed: ListedObserver) {
            guard ids[listed.id] === listed else { return }
            ids[listed.id] = nil
            order.remove(listed)
            census.remove(listed)
        }
    }

    private let state = Lock(State())

    /// Adds an observer; one of the same id that was there before is displaced. Once the directory is closed it is told at
    /// once that the hub stops.
    func add(_ observer: some HubObserver) -> Listing {
        let listed = ListedObserver(observer)
        let isClosed = state.withLock { state in
            state.insert(listed)
            return state.isClosed
        }
        if isClosed { observer.endWithHub() }
        return Listing(listed, self)
    }

    /// Ends what ends with the hub, and whatever of it is added from now on.
    func close() {
        state.withLock { $0.isClosed = true }
        for observer in all() { observer.endWithHub() }
    }

    /// The observer of an id, if it lives.
    func find(_ id: ObserverID) -> (any HubObserver)? {
        for _ in 0..<Self.looks {
            if let found = state.withLock({ $0.ids[id] })?.observer { return found }
        }
        return nil
    }

    /// How often is looked: what was there at the first look may have gone at its end because another took its place.
    private static let looks = 3

    /// All that live, oldest first.
    func all() -> [any HubObserver] { listed(after: nil).compactMap(\.observer) }

    /// All there are after a place, oldest first, as far as is asked.
    func listed(after place: ObserverPage.Cursor?) -> some Sequence<ListedObserver> {
        let order = state.withLock { $0.order }
        return order.elements { listed in place.map { listed.place > $0 } ?? true }
    }

    /// Those that are registered for exactly a topic or pattern, be it among others, oldest first.
    func listed(of pattern: TopicPattern) -> [ListedObserver] {
        state.withLock { $0.census.members(of: pattern) }.sorted()
    }

    /// Those that are registered for a topic or pattern and nothing else, in no order.
    func listed(ofNothingBut pattern: TopicPattern) -> [ListedObserver] {
        state.withLock { $0.census.members(ofNothingBut: pattern) }
    }

    /// How many of each kind hear each of some topics, by its name or by a pattern, each counted once.
    func counts(of topics: [Topic]) -> [[ObserverKind: Int]] {
        // Of those who share their topics it is found out once.
        var known: [ObserverCensus.Group.ID: [ObserverKind: Int]] = [:]
        return topics.map { topic in
            state.withLock { $0.census.groups(hearing: topic) }.reduce(into: [:]) { sums, group in
                let counts = known[group.id] ?? group.counts
                known[group.id] = counts
                sums.merge(counts, uniquingKeysWith: +)
            }
        }
    }
}
