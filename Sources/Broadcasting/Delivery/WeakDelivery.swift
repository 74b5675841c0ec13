import Dispatch

/// A delivery that hands calls over, without ownership of its actor.
enum WeakDelivery: Sendable {
    case main
    case background
    case queue(DispatchQueue)
    case actor(WeakActor)

    /// - Returns: `nil` for `.immediate`, which leads nowhere.
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

    /// Whether it may end before who registered it.
    var isOfActor: Bool { if case .actor = self { true } else { false } }

    /// Whether both lead to the same place.
    static func == (left: WeakDelivery, right: WeakDelivery) -> Bool {
        switch (left, right) {
        case (.main, .main), (.background, .background): true
        case (.queue(let one), .queue(let other)): one === other
        // While one call is on its way to an actor, that lives, and no other is at its address.
        case (.actor(let one), .actor(let other)): one.address == other.address
        default: false
        }
    }

    struct WeakActor: Sendable {
        weak let actor: (any Actor)?
        fileprivate let address: ObjectIdentifier

        init(_ actor: any Actor) {
            self.actor = actor
            address = ObjectIdentifier(actor)
        }
    }
}
