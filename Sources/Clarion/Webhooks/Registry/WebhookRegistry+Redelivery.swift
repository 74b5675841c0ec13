import EventLog
import JSON
import Locking
import MicroHTTP
import Webhooks

/// Delivering again what was delivered, or could not be. In steps: posts, and what others get, go on between them.
extension WebhookRegistry {
    /// Events that one step takes.
    private static let step = 500
    private static let stepBytes = 4 << 20

    /// Delivers one event, again or for the first time.
    ///
    /// - Parameter check: is called with the webhook as it is by then.
    /// - Returns: false if the log has no such event.
    /// - Throws: `observer-disabled`, `observer-unknown`; what the check throws.
    func redeliver(
        _ event: EventID,
        to observer: WebhookObserver,
        while check: RedeliveryCheck
    ) async throws -> Bool {
        let count = try await gate.run {
            let present = try present(observer)
            try check(present)
            return try await redeliver([event.position], to: present, at: store.timeOfDay)
        }
        dispatcher.reread(observer.id.description)
        return count > 0
    }

    /// Throws what ends a redelivery at the webhook as it is by now.
    typealias RedeliveryCheck = (WebhookObserver) throws(Problem) -> Void

    /// Delivers the dead letters again, oldest first. Ends at the next step when its task is cancelled.
    ///
    /// - Parameters:
    ///   - start: the events after this.
    ///   - caller: who asks for it.
    ///   - check: is called at each step.
    ///   - isMeant: which of them, by their topics.
    /// - Returns: how many they are.
    /// - Throws: `observer-disabled`, `observer-unknown`, `redelivery-busy`; `CancellationError`; what the check throws. What was
    ///   renewed until then stays so.
    func recover(
        _ observer: WebhookObserver,
        after start: Position,
        for caller: Caller,
        while check: RedeliveryCheck,
        where isMeant: (WebhookObserver, Topic) -> Bool
    ) async throws -> Int {
        let end = store.tail
        let count = try await inSteps(observer, after: start, for: caller, while: check) { observer, place in
            let events = try await store.deadLetters(
                of: observer.id,
                after: place,
                through: end,
                limit: Self.step
            )
            let meant = events.filter { $0.topic.map { isMeant(observer, $0) } ?? false }.map(\.event)
            return (meant, events.count < Self.step ? nil : events.last?.event)
        }
        if count > 0 { lifecycle.post(.recovered(count), of: observer) }
        return count
    }

    /// Delivers everything again that is retained and that the observer would get. For the rest as ``recover(_:after:for:while:where:)``.
    func replay(
        _ observer: WebhookObserver,
        after start: Position,
        for caller: Caller,
        while check: RedeliveryCheck
    ) async throws -> Int {
        // What is posted from now on is delivered anyway.
        let end = store.tail
        return try await inSteps(observer, after: start, for: caller, while: check) { observer, place in
            let page = try await store.read(
                after: place,
                matching: observer.topics,
                limit: Self.step,
                byteLimit: Self.stepBytes
            )
            let events = page.events.filter { $0.position <= end && observer.types.contain($0) }
            return (events.map(\.position), page.isLast || page.scannedThrough >= end ? nil : page.scannedThrough)
        }
    }

    /// Makes one attempt to deliver an event of the type `clarion.test`, which is in no log and counts nowhere.
    ///
    /// - Throws: ``Webhooks/ProbeRefusal``.
    func test(_ observer: WebhookObserver) async throws -> (event: String, outcome: AttemptOutcome) {
        let event = "test_" + ObserverID.randomText()
        let data = JSONValue.object(["type": .string(Self.testType), "observer": .string(observer.id.description)])
        let endpoint = observer.endpoint
        var delivery = DueDelivery(id: 0, eventID: event, topic: Self.testType, body: data.bytes)
        delivery.type = Self.testType
        delivery.contentType = "application/json"
        return (event, try await dispatcher.attempt(delivery, at: endpoint))
    }

    /// The type of the event that tries an endpoint out, and the topic it is on.
    static let testType = "clarion.test"

    /// - Parameter next: gets the webhook as it is by now and a place in the log; returns events after it to deliver, and the
    ///   place up to which they are all there are, or nil at the end.
    private func inSteps(
        _ observer: WebhookObserver,
        after start: Position,
        for caller: Caller,
        while check: RedeliveryCheck,
        _ next: (WebhookObserver, Position) async throws -> (events: [Position], place: Position?)
    ) async throws -> Int {
        if let bound = redeliveries.withLock({ $0.begin(of: observer.id, for: caller) }) {
            throw Problem.redeliveryBusy(bound)
        }
        defer { redeliveries.withLock { $0.end(of: observer.id) } }
        let id = observer.id.description
        let now = store.timeOfDay
        let isOrdered = observer.webhook.specification.ordered
        // Nothing goes out until all is in place, or later events would go before earlier ones. In the gate: otherwise another
        // may have taken the name by now, whose deliveries nobody would release.
        if isOrdered {
            try await gate.run(isLow: true) {
                _ = try present(observer)
                dispatcher.hold(id)
            }
        }
        // Not one that another holds, who has taken the name.
        defer { if isOrdered, (try? present(observer)) != nil { dispatcher.release(id) } }
        var (count, place) = (0, Optional(start))
        while let from = place {
            if isStopped { throw Problem.draining }
            // Not while its name may change hands, nor while one of them is delivered again by itself. Changes do not wait for
            // more than a step.
            let (renewed, end) = try await gate.run(isLow: true) {
                try Task.checkCancellation()
                let present = try present(observer)
                try check(present)
                let (events, end) = try await next(present, from)
                return (try await redeliver(events, to: present, at: now), end)
            }
            (count, place) = (count + renewed, end)
            if !isOrdered { dispatcher.wake(id) }
        }
        return count
    }

    /// To be called in the gate.
    private func redeliver(_ events: [Position], to observer: WebhookObserver, at now: Timestamp) async throws -> Int {
        if observer.webhook.disabledReason != nil { throw Problem.observerDisabled }
        let (id, createdAt) = (observer.id, observer.createdAt)
        if let count = try await store.redeliver(events, to: id, createdAt: createdAt, at: now) { return count }
        // Another node of a cluster has disabled it, or deleted it; this one may not have taken that in yet.
        try await reread(id)
        _ = try present(observer)
        throw Problem.observerDisabled
    }

    /// The webhook as it is by now, whatever of it was changed.
    ///
    /// - Throws: `observer-unknown` if it was deleted, also if another has its name.
    private func present(_ observer: WebhookObserver) throws(Problem) -> WebhookObserver {
        guard let present = find(observer.id), present.createdAt == observer.createdAt else {
            throw Problem.observerUnknown
        }
        return present
    }
}
