import EventLog
import Locking
import Logging
import MicroHTTP
import Synchronization
import Webhooks

/// The webhooks that are registered: their strong owner. What it lets go is gone everywhere.
///
/// The log's table is the truth; the members here follow it, one change at a time. A change is one commit, and what comes
/// after that cannot fail: so table, members and dispatcher agree whatever happens.
final class WebhookRegistry: Sendable {
    typealias Store = CompleteLog

    let store: any Store
    let dispatcher: WebhookDispatcher
    let lifecycle: ObserverLifecycle
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    let masterKey: MasterKey?
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)
    let gate = SerialGate()
    let redeliveries = Lock(Redeliveries())
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

    /// All there are.
    var all: [any StoredObserver] { members.withLock { Array($0.values) } }

    /// Has long operations end between two steps.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
    }

    /// Whether the hub is shutting down.
    var isStopped: Bool { isStopping.load(ordering: .relaxed) }

    /// Takes up what was registered before the hub started; deliveries that wait go out.
    ///
    /// - Returns: those that are disabled, each to be handed to ``disable(_:)`` once more: a crash may have kept some of its
    ///   deliveries from being made dead letters.
    /// - Throws: ``HubError`` if secrets are sealed and the master key is missing or another: without a word to the
    ///   operator their webhooks would receive nothing.
    func load() async throws -> [FailedEndpoint] {
        var webhooks: [(id: ObserverID, webhook: StoredWebhook, record: ObserverRecord)] = []
        var unreadable: [(record: ObserverRecord, error: any Error)] = []
        for record in try await store.observers() {
            do {
                let id = try ObserverID(record.id.rawValue)
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
            adopt(id, webhook, try await receiving(webhook.disabledReason == nil, record))
        }
        for (record, error) in unreadable { await adopt(record, unreadable: error) }
        return webhooks.compactMap { id, webhook, _ in
            webhook.disabledReason.flatMap(FailedEndpoint.Reason.init).map {
                FailedEndpoint(id: id, url: webhook.specification.url, reason: $0)
            }
        }
    }

    /// Takes up a webhook that cannot be read: nothing is collected for it, and what was becomes dead letters.
    private func adopt(_ record: ObserverRecord, unreadable error: any Error) async {
        guard let id = try? ObserverID(record.id.rawValue) else { return }
        var record = record
        do {
            record = try await receiving(false, record)
            _ = try await store.abandonDeliveries(of: record.id, failure: UnreadableWebhook.reason, at: store.timeOfDay)
        } catch {
            // A full disk, say. That must not keep the hub from starting; the next start tries again.
            logger.error("cannot stop collecting for it", metadata: ["observer": "\(id)", "error": "\(error)"])
        }
        show(record, unreadable: error, as: id)
    }

    /// Shows a webhook that cannot be read.
    func show(_ record: ObserverRecord, unreadable error: any Error, as id: ObserverID) {
        logger.error(
            "cannot read a registered webhook: it gets nothing until it is replaced",
            metadata: ["observer": "\(id)", "reason": "\(WebhookWarning.reason(error))"]
        )
        let observer = UnreadableWebhook(id: id, record: record, error: error, deliveries: store)
        stored(id)?.endHearing()
        observer.hold(directory.add(observer))
        dispatcher.remove(id.description)
        members.withLock { $0[id] = observer }
    }

    /// Has events collected for an observer, or not.
    private func receiving(_ receives: Bool, _ record: ObserverRecord) async throws -> ObserverRecord {
        guard record.receives != receives else { return record }
        var changed = record
        changed.receives = receives
        return try await store.saveObserver(changed, expecting: record.revision, resettingFailures: false).record
    }

    /// What became of a webhook that was saved.
    struct Saved {
        let observer: WebhookObserver
        /// The one it replaced.
        let replaced: (any StoredObserver)?
        /// See ``SavedObserver/tried``.
        let tried: DeliveryStats
    }

    /// Registers a webhook, or replaces the one of that id.
    ///
    /// - Parameters:
    ///   - makeWebhook: gets the present webhook, if any that can be read; what it throws is passed on, and nothing is changed.
    func save<Failure: Error>(
        _ id: ObserverID,
        _ makeWebhook: (WebhookObserver?) throws(Failure) -> StoredWebhook
    ) async throws -> Saved {
        try await changing(id) {
            let stored = stored(id)
            let present = stored as? WebhookObserver
            var webhook = try makeWebhook(present)
            let former = try present?.webhook.document(of: id, sealedWith: nil)
            if try webhook.document(of: id, sealedWith: nil) != former { webhook.renewTag() }
            let draft = ObserverRecord(
                id: id,
                topics: webhook.specification.topics,
                types: webhook.specification.types,
                // Paused ones collect their deliveries for later; disabled ones do not.
                receives: webhook.disabledReason == nil,
                document: try webhook.document(of: id, sealedWith: masterKey),
                createdAt: store.timeOfDay,
                revision: 0
            )
            let wasDisabled = stored is UnreadableWebhook || present?.webhook.disabledReason != nil
            let isEnabledAgain = wasDisabled && webhook.disabledReason == nil
            let saved = try await store.saveObserver(
                draft,
                expecting: stored?.revision ?? 0,
                resettingFailures: isEnabledAgain || present?.webhook.specification.url != webhook.specification.url
            )
            let observer = adopt(id, webhook, saved.record)
            if stored == nil {
                lifecycle.post(.registered, of: observer)
            } else if isEnabledAgain {
                lifecycle.post(.enabled, of: observer)
            }
            return Saved(observer: observer, replaced: stored, tried: saved.tried)
        }
    }

    /// Unregisters a webhook. Returns false if there was none that is meant.
    ///
    /// - Parameter isMeant: gets the present webhook, which may be another than when it was looked up; what it throws is passed
    ///   on, and nothing is changed.
    func remove<Failure: Error>(
        _ id: ObserverID,
        where isMeant: (any StoredObserver) throws(Failure) -> Bool
    ) async throws -> Bool {
        try await changing(id) {
            guard let present = stored(id), try isMeant(present) else { return false }
            // Whether the table had it or not: it does not have it any more.
            _ = try await store.deleteObserver(id, expecting: present.revision)
            release(id)
            lifecycle.post(.unregistered, of: present)
            return true
        }
    }

    /// Unregisters every webhook that is registered for exactly that topic or pattern. Returns how many.
    func removeAll(of pattern: TopicPattern) async throws -> Int {
        try await gate.run {
            let removed = try await store.deleteObservers(of: pattern)
            for id in removed {
                let present = stored(id)
                release(id)
                if let present { lifecycle.post(.unregistered, of: present) }
            }
            return removed.count
        }
    }

    /// Stops delivering to an endpoint for good. What waits for it becomes dead letters.
    ///
    /// A webhook that has been given another URL since, or was enabled again, goes on. May be called again for what it failed in.
    /// - Returns: false if it is to be called again: nothing else will.
    func disable(_ failed: FailedEndpoint) async -> Bool {
        do {
            try await storeDisabled(failed)
        } catch {
            logger.error("cannot disable a webhook", metadata: failed.metadata(error: error))
            // One that fails is announced with its next attempt. One that is gone gets no more attempts.
            return failed.reason != .gone
        }
        do {
            // None if it is not disabled, or not any more.
            _ = try await store.abandonDeliveries(of: failed.id, failure: failed.reason.rawValue, at: store.timeOfDay)
            return true
        } catch {
            logger.error("cannot give up what a disabled webhook waits for", metadata: failed.metadata(error: error))
            return false
        }
    }

    private func storeDisabled(_ failed: FailedEndpoint) async throws {
        do {
            let saved = try await save(failed.id) { present throws(NotRegistered) in
                guard let present, present.webhook.disabledReason == nil,
                    present.webhook.specification.url == failed.url, present.generation == failed.generation
                else { throw NotRegistered() }
                var webhook = present.webhook
                webhook.disabledReason = failed.reason.rawValue
                return webhook
            }
            // Not while other changes wait. It receives nothing more, so it is what is made dead letters next.
            let pending = ((try? await store.deliveryStats(of: failed.id)) ?? saved.tried).pending
            var metadata = failed.metadata()
            let deadLetters = pending + failed.deadLetters
            metadata["deadLetters"] = "\(deadLetters)"
            logger.notice("a webhook is disabled", metadata: metadata)
            lifecycle.post(.disabled(failed.reason, deadLetters: deadLetters), of: saved.observer)
        } catch is NotRegistered {}
    }

    private struct NotRegistered: Error {}

    @discardableResult
    func adopt(_ id: ObserverID, _ webhook: StoredWebhook, _ record: ObserverRecord) -> WebhookObserver {
        let present = stored(id) as? WebhookObserver
        let isEnabledAgain = present?.webhook.disabledReason != nil && webhook.disabledReason == nil
        let observer = WebhookObserver(
            id: id,
            webhook: webhook,
            createdAt: record.createdAt,
            revision: record.revision,
            generation: (present?.generation ?? 0) + (isEnabledAgain ? 1 : 0),
            deliveries: store,
            warnings: dispatcher.refusal(of: webhook.specification.url).map { [.egressBlocked($0)] } ?? []
        )
        // Never two at once: the one before would offer what only it wants, and later events than this one's.
        stored(id)?.endHearing()
        // One that takes nothing now is not told: what it is to get later is read then.
        let topics =
            observer.state == .active
            ? broadcaster.register(observer, format: .none) { [dispatcher] observer, frames in
                observer.receive(frames, dispatcher)
            } : nil
        observer.hold(Registrations(topics: topics, directory: directory.add(observer)))
        members.withLock { $0[id] = observer }
        // After registering: what was committed before is found pending, what comes after wakes the dispatcher.
        if store.isOnDuty(for: id) { dispatcher.set(observer.endpoint) }
        return observer
    }

    func release(_ id: ObserverID) {
        dispatcher.remove(id.description)
        // Let go outside the lock: its deinit takes others.
        members.withLock { $0.removeValue(forKey: id) }?.leave()
    }
}

extension FailedEndpoint {
    fileprivate func metadata(error: (any Error)? = nil) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "observer": "\(id)", "url": "\(url?.withoutQueryValues ?? "")", "reason": "\(reason.rawValue)",
        ]
        if let error { metadata["error"] = "\(error)" }
        return metadata
    }
}
