import Locking
import EventLog
import Logging
import MicroHTTP
import Synchronization
import Webhooks

/// The webhooks that are registered: their strong owner. What it lets go is gone everywhere.
///
/// The log's table is the truth; the members here follow it, one change at a time.
final class WebhookRegistry: Sendable {
    typealias Store = EventLog & ObserverStore & DeliveryLog

    let store: any Store
    let dispatcher: WebhookDispatcher
    let lifecycle: ObserverLifecycle
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    private let masterKey: MasterKey?
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    private let gate = SerialGate()
    private let members = Lock<[ObserverID: any StoredObserver]>([:])

    init(
        store: any Store,
        dispatcher: WebhookDispatcher,
        lifecycle: ObserverLifecycle,
        broadcaster: TopicBroadcaster,
        directory: ObserverDirectory,
        masterKey: MasterKey?,
        logger: Logger
    ) {
        self.store = store
        self.dispatcher = dispatcher
        self.lifecycle = lifecycle
        self.broadcaster = broadcaster
        self.directory = directory
        self.masterKey = masterKey
        self.logger = logger
    }

    /// The webhook of an id, if there is one that can be read.
    func find(_ id: ObserverID) -> WebhookObserver? {
        stored(id) as? WebhookObserver
    }

    /// The webhook of an id, also one that cannot be read.
    func stored(_ id: ObserverID) -> (any StoredObserver)? {
        members.withLock { $0[id] }
    }

    /// Has long operations end between two steps.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// Whether the hub is shutting down.
    var isStopped: Bool { isStopping.load(ordering: .relaxed) }

    /// Takes up what was registered before the hub started; deliveries that wait go out.
    ///
    /// - Throws: ``HubError`` if secrets are sealed and the master key is missing or another: without a word to the
    ///   operator their webhooks would receive nothing.
    func load() async throws {
        var webhooks: [(id: ObserverID, webhook: StoredWebhook, record: ObserverRecord)] = []
        var unreadable: [(record: ObserverRecord, error: any Error)] = []
        for record in try await store.observers() {
            do {
                let id = try ObserverID(record.id)
                let webhook = try StoredWebhook(document: record.document, of: id, key: masterKey)
                webhooks.append((id, webhook, record))
            } catch let error as HubError {
                throw error
            } catch {
                unreadable.append((record, error))
            }
        }
        // Not before all were read: a hub that refuses to start has delivered nothing.
        for (id, webhook, record) in webhooks {
            // Another version could not read it.
            let present = try await receiving(webhook.disabledReason == nil, record)
            adopt(id, webhook, createdAt: present.createdAt, revision: present.revision)
            guard let reason = webhook.disabledReason else { continue }
            // What a crash kept from being made dead letters when it was disabled.
            _ = try await store.abandonDeliveries(of: record.id, failure: reason, at: .now())
        }
        for (record, error) in unreadable { await adopt(record, unreadable: error) }
    }

    /// Takes up a webhook that cannot be read: nothing is collected for it, and what was becomes dead letters.
    private func adopt(_ record: ObserverRecord, unreadable error: any Error) async {
        guard let id = try? ObserverID(record.id) else { return }
        logger.error(
            "cannot read a registered webhook: it gets nothing until it is replaced",
            metadata: ["observer": "\(id)", "reason": "\((error as? Problem)?.detail ?? "\(error)")"]
        )
        var record = record
        do {
            record = try await receiving(false, record)
            _ = try await store.abandonDeliveries(of: record.id, failure: UnreadableWebhook.reason, at: .now())
        } catch {
            // A full disk, say. That must not keep the hub from starting; the next start tries again.
            logger.error("cannot stop collecting for it", metadata: ["observer": "\(id)", "error": "\(error)"])
        }
        let observer = UnreadableWebhook(id: id, record: record, error: error, deliveries: store)
        observer.hold(directory.add(observer))
        members.withLock { $0[id] = observer }
    }

    /// Has events collected for an observer, or not.
    private func receiving(_ receives: Bool, _ record: ObserverRecord) async throws -> ObserverRecord {
        guard record.receives != receives else { return record }
        var changed = record
        changed.receives = receives
        return try await store.saveObserver(changed, expecting: record.revision).record
    }

    /// Registers a webhook, or replaces the one of that id.
    ///
    /// Returns the new observer and the one it replaced.
    ///
    /// - Parameters:
    ///   - makeWebhook: gets the present webhook, if any that can be read; what it throws is passed on, and nothing is changed.
    func save<Failure: Error>(
        _ id: ObserverID,
        _ makeWebhook: (WebhookObserver?) throws(Failure) -> StoredWebhook
    ) async throws -> (observer: WebhookObserver, replaced: (any StoredObserver)?) {
        try await gate.run {
            let stored = stored(id)
            let present = stored as? WebhookObserver
            let webhook = try makeWebhook(present)
            let draft = ObserverRecord(
                id: id.description,
                topics: webhook.specification.topics,
                types: webhook.specification.types,
                // Paused ones collect their deliveries for later; disabled ones do not.
                receives: webhook.disabledReason == nil,
                document: try webhook.document(of: id, sealedWith: masterKey),
                createdAt: .now(),
                revision: 0
            )
            let wasDisabled = stored is UnreadableWebhook || present?.webhook.disabledReason != nil
            let isEnabledAgain = wasDisabled && webhook.disabledReason == nil
            let (record, _) = try await store.saveObserver(
                draft,
                expecting: stored?.revision,
                forgivingFailures: isEnabledAgain || present?.webhook.specification.url != webhook.specification.url
            )
            let observer = adopt(id, webhook, createdAt: record.createdAt, revision: record.revision)
            if stored == nil {
                lifecycle.post(.registered, of: observer)
            } else if isEnabledAgain {
                lifecycle.post(.enabled, of: observer)
            }
            return (observer, stored)
        }
    }

    /// Unregisters a webhook. Returns false if there was none.
    ///
    /// - Parameter check: gets the present webhook; what it throws is passed on, and nothing is changed.
    func remove<Failure: Error>(
        _ id: ObserverID,
        _ check: (any StoredObserver) throws(Failure) -> Void
    ) async throws -> Bool {
        try await gate.run {
            guard let present = stored(id) else { return false }
            try check(present)
            guard try await store.deleteObserver(id.description, expecting: present.revision) else { return false }
            release(id)
            lifecycle.post(.unregistered, of: present)
            return true
        }
    }

    /// Unregisters every webhook that is registered for exactly that topic or pattern. Returns how many.
    func removeAll(of pattern: TopicPattern) async throws -> Int {
        try await gate.run {
            let removed = try await store.deleteObservers(of: pattern)
            for text in removed {
                let id = try ObserverID(text)
                let present = stored(id)
                release(id)
                if let present { lifecycle.post(.unregistered, of: present) }
            }
            return removed.count
        }
    }

    /// Stops delivering to an endpoint for good. What waits for it becomes dead letters.
    ///
    /// A webhook that has been given another URL since goes on.
    /// - Returns: false if it could not be stored, and nothing else will have it tried again.
    func disable(_ failed: FailedEndpoint) async -> Bool {
        do {
            let (observer, _) = try await save(try ObserverID(failed.id)) { present throws(NotRegistered) in
                guard let present, present.webhook.disabledReason == nil,
                    present.webhook.specification.url == failed.url
                else { throw NotRegistered() }
                var webhook = present.webhook
                webhook.disabledReason = failed.reason.rawValue
                return webhook
            }
            let count = try await store.abandonDeliveries(of: failed.id, failure: failed.reason.rawValue, at: .now())
            logger.notice(
                "a webhook is disabled",
                metadata: [
                    "observer": "\(failed.id)",
                    "url": "\(failed.url?.withoutQuery ?? "")",
                    "reason": "\(failed.reason.rawValue)",
                    "deadLetters": "\(count)",
                ]
            )
            lifecycle.post(.disabled(failed.reason, deadLetters: count), of: observer)
            return true
        } catch is NotRegistered {
            return true
        } catch {
            logger.error(
                "cannot disable a webhook",
                metadata: [
                    "observer": "\(failed.id)", "url": "\(failed.url?.withoutQuery ?? "")", "error": "\(error)",
                ]
            )
            // One that fails is told of with its next attempt. One that is gone gets no more attempts.
            return failed.reason != .gone
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
            deliveries: store,
            warnings: dispatcher.refusal(of: webhook.specification.url).map { [.egressBlocked($0)] } ?? []
        )
        let topics = broadcaster.register(observer, format: .none) { [dispatcher] observer, frames in
            observer.receive(frames, dispatcher)
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
