import Locking

/// The life of the object that stores it, for whoever wants to know its end at once.
///
/// An observer that is a `LifetimeOwner` need not unregister, and its registrations do not wait for a sweep: they go while
/// it is released, wherever it registered.
///
/// ```swift
/// final class Label: TitleUpdating, LifetimeOwner {
///     let lifetime = Lifetime()
/// }
/// ```
///
/// Store it in one object only and do not hand it out: it ends when its own last reference goes.
public final class Lifetime: Sendable {
    private struct State {
        var hooks: [DeinitHook] = []
        var followings: [Following.Key: Following] = [:]
        var sweepSchedule = SweepSchedule()
    }

    private let state = Lock(State())

    /// A life that has just begun.
    public init() {}

    /// Runs a closure when this life ends, on the thread that ends it.
    public func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hook = DeinitHook(action)
        state.withLock { $0.hooks.append(hook) }
    }

    /// Tells a table when this life ends; once, however often it asks for the same owner. The table is held weakly.
    func tell(_ follower: any LifetimeFollower, ofOwnerAt address: ObjectIdentifier) {
        let following = Following(follower, owner: address)
        let due = state.withLock { state in
            state.followings[following.key] = following
            return state.sweepSchedule.begin(count: state.followings.count) ? state.followings : nil
        }
        if let due { sweep(due) }
    }

    /// Forgets tables that are gone. They are looked for in a copy: a reference must not be let go under the lock.
    private func sweep(_ followings: [Following.Key: Following]) {
        let dead = followings.values.filter { $0.follower == nil }
        state.withLock { state in
            for following in dead where state.followings[following.key] === following {
                state.followings.removeValueShrinking(forKey: following.key)
            }
            state.sweepSchedule.finish(count: state.followings.count)
        }
    }

    deinit {
        for following in state.withLock({ $0.followings.values }) {
            following.follower?.lifetimeEnded(ofOwnerAt: following.key.owner)
        }
    }
}

/// An object that can tell its end at once, because it stores its `Lifetime`.
public protocol LifetimeOwner: AnyObject {
    /// Stored, never computed, and never shared with another object.
    var lifetime: Lifetime { get }
}

/// What removes an owner's registrations when its life ends.
protocol LifetimeFollower: AnyObject, Sendable {
    func lifetimeEnded(ofOwnerAt address: ObjectIdentifier)
}

private final class Following: Sendable {
    struct Key: Hashable {
        let follower: ObjectIdentifier
        let owner: ObjectIdentifier
    }

    weak let follower: (any LifetimeFollower)?
    let key: Key

    init(_ follower: any LifetimeFollower, owner: ObjectIdentifier) {
        self.follower = follower
        key = Key(follower: ObjectIdentifier(follower), owner: owner)
    }
}
