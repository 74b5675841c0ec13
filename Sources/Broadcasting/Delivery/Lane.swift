import Locking
import Dispatch

/// A serial way to one observer: calls run one at a time, in the order in which they were posted, where `Delivery` says.
///
/// The order comes from the mailbox, not from the executor: actors run jobs by priority and concurrent queues run them
/// at once, and neither matters here because at most one drain of a lane is on its way. A drain takes what waits when it
/// starts and goes to the back of the queue for the rest, so a busy lane does not occupy the main actor.
///
/// All registrations of one owner with one delivery share a lane, so that the order holds across keys.
final class Lane<Value: Sendable>: Sendable {
    private typealias Call = (entry: any Entry<Value>, value: Value)

    private let destination: Destination
    private let mailbox = Lock(Mailbox<Call>())

    /// - Returns: `nil` for `.immediate`, which needs no lane.
    init?(_ delivery: Delivery) {
        guard let destination = Destination(delivery) else { return nil }
        self.destination = destination
    }

    /// Where it leads; `nil` if that was an actor that is gone.
    var delivery: Delivery? { destination.delivery }

    /// Whether this lane leads where `delivery` says.
    func serves(_ delivery: Delivery) -> Bool { destination.matches(delivery) }

    /// Hands a call over. Until it has run it holds the entry and the actor, but not the owner.
    ///
    /// - Returns: `false` if the actor is gone, so that nothing will ever run.
    func post(_ value: Value, to entry: any Entry<Value>) -> Bool {
        guard let delivery else { return false }
        if mailbox.withLock({ $0.post((entry, value)) }) { scheduleDrain(delivery) }
        return true
    }

    private func scheduleDrain(_ delivery: Delivery) {
        switch delivery {
        case .immediate: drain(delivery)
        case .main: Task { @MainActor in drain(delivery) }
        case .background: Task { @concurrent in drain(delivery) }
        case .queue(let queue): queue.async { self.drain(delivery) }
        case .actor(let actor): Task { await drain(delivery, on: actor) }
        }
    }

    private func drain(_ delivery: Delivery, on actor: isolated any Actor) { drain(delivery) }

    private func drain(_ delivery: Delivery) {
        for (entry, value) in mailbox.withLock({ $0.takeBatch() }) { entry.call(value) }
        if mailbox.withLock({ $0.finishBatch() }) { scheduleDrain(delivery) }
    }
}

extension Lane {
    /// A delivery that needs a lane, without ownership of its actor.
    private enum Destination: Sendable {
        case main
        case background
        case queue(DispatchQueue)
        case actor(WeakActor)

        init?(_ delivery: Delivery) {
            switch delivery {
            case .immediate: return nil
            case .main: self = .main
            case .background: self = .background
            case .queue(let queue): self = .queue(queue)
            case .actor(let actor): self = .actor(WeakActor(actor))
            }
        }

        /// The delivery again, `nil` if its actor is gone.
        var delivery: Delivery? {
            switch self {
            case .main: .main
            case .background: .background
            case .queue(let queue): .queue(queue)
            case .actor(let reference): reference.actor.map { .actor($0) }
            }
        }

        func matches(_ delivery: Delivery) -> Bool {
            switch (self, delivery) {
            case (.main, .main), (.background, .background): true
            case (.queue(let mine), .queue(let other)): mine === other
            case (.actor(let mine), .actor(let other)): mine.refers(to: other)
            default: false
            }
        }
    }

    private struct WeakActor: Sendable {
        weak let actor: (any Actor)?
        private let address: ObjectIdentifier

        init(_ actor: any Actor) {
            self.actor = actor
            address = ObjectIdentifier(actor)
        }

        /// Compares addresses first: `matches` runs under the table's lock, where a reference to any other actor must
        /// not be loaded, since dropping the last one would run that actor's `deinit` there.
        func refers(to other: any Actor) -> Bool { address == ObjectIdentifier(other) && actor != nil }
    }
}
