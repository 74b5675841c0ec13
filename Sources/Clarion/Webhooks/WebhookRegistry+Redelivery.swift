import EventLog
import JSON
import MicroHTTP
import Webhooks

/// Delivering again what was delivered, or could not be. In steps: posts, and what others get, go on between them.
extension WebhookRegistry {
    /// Events that one step takes.
    private static let step = 500
    private static let stepBytes = 4 << 20

    /// Delivers one event, again or for the first time.
    ///
    /// - Returns: false if the log has no such event.
    /// - Throws: `observer-disabled`, `observer-unknown`.
    func redeliver(_ event: EventID, to observer: WebhookObserver) async throws -> Bool {
        let count = try await redeliver([event.position], to: observer, at: .now())
        dispatcher.reread(observer.id.description)
        return count > 0
    }

    /// Delivers the dead letters again, oldest first.
    ///
    /// - Parameter start: the events after this.
    /// - Returns: how many they are.
    /// - Throws: `observer-disabled`.
    func recover(_ observer: WebhookObserver, after start: Position) async throws -> Int {
        let end = store.tail
        let count = try await inSteps(observer, after: start) { place in
            let events = try await store.deadLetters(
                of: observer.id,
                after: place,
                through: end,
                limit: Self.step
            )
            return (events, events.count < Self.step ? nil : events.last)
        }
        if count > 0 { lifecycle.post(.recovered(count), of: observer) }
        return count
    }

    /// Delivers everything again that is retained and that the observer would get.
    ///
    /// - Parameter start: the events after this.
    /// - Returns: how many they are.
    /// - Throws: `observer-disabled`.
    func replay(_ observer: WebhookObserver, after start: Position) async throws -> Int {
        let types = EventTypes(observer.webhook.specification.types)
        // What is posted from now on is delivered anyway.
        let end = store.tail
        return try await inSteps(observer, after: start) { place in
            let page = try await store.read(
                after: place,
                matching: observer.topics,
                limit: Self.step,
                byteLimit: Self.stepBytes
            )
            let events = page.events.filter { $0.position <= end && types.contain($0) }
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

    /// - Parameter next: gets a place in the log; returns events after it to deliver, and the place up to which they are
    ///   all there are, or nil at the end.
    private func inSteps(
        _ observer: WebhookObserver,
        after start: Position,
        _ next: (Position) async throws -> (events: [Position], place: Position?)
    ) async throws -> Int {
        let id = observer.id.description
        let now = Timestamp.now()
        let isOrdered = observer.webhook.specification.ordered
        // Nothing goes out until all is in place, or later events would go before earlier ones.
        if isOrdered { dispatcher.hold(id) }
        defer { if isOrdered { dispatcher.release(id) } }
        var (count, place) = (0, Optional(start))
        while let from = place {
            if isStopped { throw Problem.draining }
            let (events, end) = try await next(from)
            count += try await redeliver(events, to: observer, at: now)
            place = end
            if !isOrdered { dispatcher.wake(id) }
        }
        return count
    }

    private func redeliver(_ events: [Position], to observer: WebhookObserver, at now: Timestamp) async throws -> Int {
        if observer.webhook.disabledReason != nil { throw Problem.observerDisabled }
        if let count = try await store.redeliver(events, to: observer.id, at: now) { return count }
        // It has been disabled since it was found, or deleted.
        throw find(observer.id) == nil ? Problem.observerUnknown : .observerDisabled
    }
}
