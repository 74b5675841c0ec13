import Broadcasting
import EventLog

/// Registers objects of the process: the place where their handlers stand, in the same kind of table as everywhere.
///
/// An object is held while it is called, and no longer: between two events of a commit or of a page it may go, and hears nothing
/// of the rest.
///
/// There are two steps to an object. The broadcaster calls its `ObjectObserver`, on the thread that commits; and this table
/// calls the object, where that wishes to be called. The table's entry is bound to the object's life and owns the
/// `ObjectObserver` through its handler. So nothing owns the object, and nothing outlives it.
final class ObjectHost: Sendable {
    private let table = ObserverTable<ObserverID, ArraySlice<Event>>()
    private let log: any EventLog
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    private let metrics: HubMetrics

    init(log: any EventLog, broadcaster: TopicBroadcaster, directory: ObserverDirectory, metrics: HubMetrics) {
        self.log = log
        self.broadcaster = broadcaster
        self.directory = directory
        self.metrics = metrics
    }

    /// Registers an object for as long as it lives.
    func add<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        topics: [TopicPattern],
        deliver: Delivery,
        handler: @escaping @Sendable (Owner, Event) -> Void
    ) {
        let observer = ObjectObserver(topics: topics, ownerType: String(describing: type(of: owner)), host: self)
        table.register(
            observer.id,
            owner: owner,
            deliver: deliver,
            lending: { [metrics] reference, events in
                // The handler's: it goes with the registration.
                withExtendedLifetime(observer) {
                    for event in events {
                        guard let owner = reference.owner else { return }
                        metrics.deliveries.count(.object)
                        handler(owner, event)
                    }
                }
            }
        )
        connect(observer)
    }

    /// Registers a closure until the token is cancelled or released.
    func add(
        topics: [TopicPattern],
        deliver: Delivery,
        handler: @escaping @Sendable (Event) -> Void
    ) -> ObservationToken {
        let observer = ObjectObserver(topics: topics, ownerType: nil, host: self)
        let registration = table.register(observer.id, deliver: deliver) { [metrics] events in
            for event in events where observer.isRegistered {
                metrics.deliveries.count(.object)
                handler(event)
            }
        }
        connect(observer)
        return table.token(for: registration)
    }

    /// Registers an object that begins in the past, for as long as it lives.
    ///
    /// - Returns: what reads for it, to be run: it ends with the registration. The next page is read when the handler has had
    ///   the last one.
    func add<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        topics: [TopicPattern],
        from start: HistoryStart,
        deliver: Delivery,
        onGap: (@Sendable (HistoryGap) -> Void)?,
        handler: @escaping @Sendable (Owner, Event) -> Void
    ) -> @Sendable () async throws(HubError) -> Void {
        let feed = feed(topics, from: start, readerType: String(describing: type(of: owner)), onGap: onGap)
        // The handler's: it goes with the registration.
        let reader = EventFeed.Reader(feed)
        table.register(
            feed.id,
            owner: owner,
            deliver: deliver,
            lending: { [metrics] reference, events in
                for event in events {
                    guard reader.feed.isRegistered, let owner = reference.owner else { break }
                    metrics.deliveries.count(.object)
                    handler(owner, event)
                }
                reader.feed.pageIsHandled()
            }
        )
        feed.serve { [weak table = table, id = feed.id] in table?.isEmpty(id) == false }
        return { () async throws(HubError) in
            while let page = try await feed.nextPage() {
                self.table.notify(feed.id, page[...])
                await feed.waitUntilHandled()
            }
        }
    }

    /// Registers somebody who reads the log by themselves, until that is released or ended.
    func feed(
        _ topics: [TopicPattern],
        from start: HistoryStart,
        readerType: String,
        onGap: (@Sendable (HistoryGap) -> Void)?
    ) -> EventFeed {
        let feed = EventFeed(topics: topics, from: start, readerType: readerType, log: log, onGap: onGap)
        let topics = broadcaster.register(feed, format: .none) { feed, _ in feed.receive() }
        feed.hold(Registrations(topics: topics, directory: directory.add(feed)))
        feed.begin()
        return feed
    }

    /// Unregisters one registration.
    func remove(_ observer: ObjectObserver) {
        table.removeAll(observer.id)
    }

    /// Unregisters one who reads.
    func remove(_ feed: EventFeed) {
        feed.end()
        table.removeAll(feed.id)
    }

    /// Unregisters all registrations of an object.
    func removeAll(ownedBy owner: AnyObject) {
        table.removeAll(ownedBy: owner)
    }

    /// Whether the object behind an observer lives and is registered. Each has a key of its own, so this is O(1).
    func isRegistered(_ observer: ObjectObserver) -> Bool {
        !table.isEmpty(observer.id)
    }

    /// How many there are, those included that are dead and not yet swept.
    var registrationCount: Int { table.registrationCount }

    /// Tells an object of events, each of them once and in sequence order.
    func deliver(_ events: ArraySlice<Event>, to observer: ObjectObserver) {
        table.notify(observer.id, events)
    }

    /// After the handler stands in the table: what the observer hears from here on reaches the object.
    private func connect(_ observer: ObjectObserver) {
        let topics = broadcaster.register(observer, format: .none) { observer, frames in observer.receive(frames) }
        observer.hold(Registrations(topics: topics, directory: directory.add(observer)))
    }
}
