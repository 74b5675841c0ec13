@testable import EventLog

/// What the log promises of deliveries, in the simplest way: a delivery for each event and observer that wants it, made
/// when the event is posted.
struct DeliveryModel {
    struct Observer {
        var topics: [TopicPattern]
        var types: [String]
        var receives: Bool
        var deliveries: [Int64: Delivery] = [:]
    }

    struct Delivery: Equatable {
        var state = DeliveryState.pending
        var attempts = 0
        var renewals: Int64 = 0
        /// Whether it is to be tried only after a failure's pause.
        var isLater = false
    }

    var observers: [ObserverID: Observer] = [:]
    private(set) var topics: [Int64: Topic] = [:]
    private(set) var tail: Int64 = 0

    mutating func post(_ topic: Topic, type: String?) {
        tail += 1
        topics[tail] = topic
        for (id, observer) in observers where observer.receives {
            guard observer.topics.contains(where: { $0.matches(topic) }) else { continue }
            guard observer.types.isEmpty || type.map(observer.types.contains) == true else { continue }
            observers[id]?.deliveries[tail] = Delivery()
        }
    }

    mutating func save(_ id: ObserverID, _ topics: [TopicPattern], _ types: [String], receives: Bool) {
        let deliveries = observers[id]?.deliveries ?? [:]
        observers[id] = Observer(topics: topics, types: types, receives: receives, deliveries: deliveries)
    }

    mutating func settle(_ id: ObserverID, _ event: Int64, _ state: DeliveryState, renewals: Int64) {
        guard var delivery = observers[id]?.deliveries[event], delivery.state == .pending,
            delivery.renewals == renewals
        else { return }
        delivery.state = state
        delivery.attempts += 1
        delivery.isLater = state == .pending
        observers[id]?.deliveries[event] = delivery
    }

    mutating func redeliver(_ id: ObserverID, _ event: Int64) {
        guard observers[id]?.receives == true, topics[event] != nil else { return }
        let renewals = observers[id]?.deliveries[event]?.renewals ?? 0
        observers[id]?.deliveries[event] = Delivery(renewals: renewals + 1)
    }

    mutating func abandon(_ id: ObserverID) {
        guard let observer = observers[id], !observer.receives else { return }
        for (event, delivery) in observer.deliveries where delivery.state == .pending {
            observers[id]?.deliveries[event]?.state = .dead
        }
    }

    mutating func delete(_ topic: Topic) {
        for (event, name) in topics where name == topic {
            topics[event] = nil
            for id in observers.keys { observers[id]?.deliveries[event] = nil }
        }
    }
}
