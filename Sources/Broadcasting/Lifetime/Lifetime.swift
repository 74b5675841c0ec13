import Synchronization

/// The life of the object that stores it, for whoever wants to know its end at once.
///
/// An observer that is a `LifetimeOwner` need not unregister and its entries do not wait for a sweep: they go while it is
/// released, in every table it is registered in.
///
/// ```swift
/// final class Label: TitleUpdating, LifetimeOwner {
///     let lifetime = Lifetime()
/// }
/// ```
///
/// Store it in one object only, and do not hand it out: it ends when its own last reference goes.
public final class Lifetime: Sendable {
    /// One hook for each table, however many registrations the owner has in it.
    struct Attachment: Hashable {
        let table: ObjectIdentifier
        let owner: ObjectIdentifier
    }

    private let hooks = Mutex<[Attachment: DeinitHook]>([:])
    private let ownHooks = Mutex<[DeinitHook]>([])

    /// A life that has just begun.
    public init() {}

    /// Runs a closure when this life ends, on the thread that ends it.
    public func onEnd(_ action: @escaping @Sendable () -> Void) {
        let hook = DeinitHook(action)
        ownHooks.withLock { $0.append(hook) }
    }

    /// Keeps a hook until the end. A hook of the same attachment is dropped, after unlocking, since that runs it.
    func attach(_ hook: DeinitHook, for attachment: Attachment) {
        _ = hooks.withLock { $0.updateValue(hook, forKey: attachment) }
    }
}

/// An object that can tell its end at once, because it stores its `Lifetime`.
public protocol LifetimeOwner: AnyObject {
    /// Stored, never computed, and never shared with another object.
    var lifetime: Lifetime { get }
}
