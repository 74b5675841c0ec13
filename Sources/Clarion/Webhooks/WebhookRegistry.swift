import Locking
import EventLog
import Logging
import Webhooks

/// The webhooks that are registered: their strong owner. What it lets go is gone everywhere.
///
/// The log's table is the truth; the members here follow it, one change at a time.
final class WebhookRegistry: Sendable {
    private let store: any ObserverStore & DeliveryLog
    private let dispatcher: WebhookDispatcher
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    private let logger: Logger
    private let gate = SerialGate()
    private let members = Lock<[ObserverID: WebhookObserver]>([:])

    init(
        store: any ObserverStore & DeliveryLog,
        dispatcher: WebhookDispatcher,
        broadcaster: TopicBroadcaster,
        directory: ObserverDirectory,
        logger: Logger
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.broadcaster = broadcaster
        self.directory = directory
        self.logger = logger
    }

    func find(_ id: ObserverID) -> WebhookObserver? {
        members.withLock { $0[id] }
    }

    /// Takes up what was registered before the hub started; deliveries that wait go out.
    func load() async throws {
        for record in try await store.observers() {
            do {
                let webhook = try StoredWebhook(document: record.document)
                adopt(try ObserverID(record.id), webhook, createdAt: record.createdAt, revision: record.revision)
            } catch {
                logger.error(
                    "cannot read a registered webhook; it stays in the log and receives nothing",
                    metadata: ["observer": .string(record.id), "reason": .string(error.detail)]
                )
            }
        }
    }

    /// Registers a webhook, or replaces the one of that id.
    ///
    /// - Parameters:
    ///   - makeWebhook: gets the present webhook, if any; what it throws is passed on, and nothing is changed.
    func save<Failure: Error>(
        _ id: ObserverID,
        _ makeWebhook: (WebhookObserver?) throws(Failure) -> StoredWebhook
    ) async throws -> (observer: WebhookObserver, created: Bool) {
        try await gate.run {
            let present = find(id)
            let webhook = try makeWebhook(present)
            let draft = ObserverRecord(
                id: id.description,
                topics: webhook.specification.topics,
                types: webhook.specification.types,
                // Paused ones collect their deliveries for later; disabled ones do not.
                receives: webhook.disabledReason == nil,
                document: webhook.document,
                createdAt: .now(),
                revision: 0
            )
            let (record, created) = try await store.saveObserver(draft, expecting: present?.revision)
            let observer = adopt(id, webhook, createdAt: record.createdAt, revision: record.revision)
            return (observer, created)
        }
    }

    /// Unregisters a webhook. Returns false if there was none.
    ///
    /// - Parameter check: gets the present webhook; what it throws is passed on, and nothing is changed.
    func remove<Failure: Error>(
        _ id: ObserverID,
        _ check: (WebhookObserver) throws(Failure) -> Void
    ) async throws -> Bool {
        try await gate.run {
            guard let present = find(id) else { return false }
            try check(present)
            guard try await store.deleteObserver(id.description, expecting: present.revision) else { return false }
            release(id)
            return true
        }
    }

    /// Unregisters every webhook that is registered for exactly that topic or pattern. Returns how many.
    func removeAll(of pattern: TopicPattern) async throws -> Int {
        try await gate.run {
            let removed = try await store.deleteObservers(of: pattern)
            for id in removed { release(try ObserverID(id)) }
            return removed.count
        }
    }

    /// Stops delivering to an endpoint that answered that it is gone. What waits for it becomes dead letters.
    ///
    /// - Parameter url: where it answered so; a webhook that has been given another URL since goes on.
    func disable(_ id: String, at url: WebhookURL?, reason: String) async {
        do {
            _ = try await save(try ObserverID(id)) { present throws(NotRegistered) in
                guard let present, present.webhook.disabledReason == nil, present.webhook.specification.url == url
                else { throw NotRegistered() }
                return StoredWebhook(
                    specification: present.webhook.specification,
                    secret: present.webhook.secret,
                    disabledReason: reason
                )
            }
            _ = try await store.abandonDeliveries(of: id, failure: reason, at: .now())
        } catch is NotRegistered {
            return
        } catch {
            logger.error("cannot disable a webhook", metadata: ["observer": "\(id)", "error": "\(error)"])
        }
    }

    private struct NotRegistered: Error {}

    @discardableResult
    private func adopt(_ id: ObserverID, _ webhook: StoredWebhook, createdAt: Timestamp, revision: Int64)
        -> WebhookObserver
    {
        let observer = WebhookObserver(
            id: id,
            webhook: webhook,
            createdAt: createdAt,
            revision: revision,
            deliveries: store
        )
        let topics = broadcaster.register(observer, format: .none) { [dispatcher] observer, _ in
            dispatcher.wake(observer.id.description)
        }
        observer.hold(Registrations(topics: topics, directory: directory.add(observer)))
        members.withLock { $0[id] = observer }
        // After registering: what was committed before is found pending, what comes after wakes the dispatcher.
        dispatcher.set(observer.endpoint)
        return observer
    }

    private func release(_ id: ObserverID) {
        dispatcher.remove(id.description)
        // Let go outside the lock: its deinit takes others.
        _ = members.withLock { $0.removeValue(forKey: id) }
    }
}
