/// A number that no other registration of the same table ever had; later registrations have greater ones.
typealias RegistrationID = UInt64

/// One registration as notifications see it: immutable, so a notification reads it without a lock.
///
/// It is released, and with it the handler, as soon as it is out of its roster and no notification or handed-over call
/// that began before is still using it.
protocol Entry<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The observer, if there is one and it lives. Never read it while holding a lock: releasing the reference may run
    /// the observer's `deinit`.
    var owner: (any AnyObject & Sendable)? { get }

    /// Whether the observer is gone and the entry has only to be swept. The rule of `owner` holds.
    var isDead: Bool { get }

    /// What the table needs to know to take the entry out again.
    var position: EntryPosition<Value> { get }

    /// Calls the handler or hands the call over.
    ///
    /// - Returns: `false` if the entry is dead.
    func deliver(_ value: Value) -> Bool

    /// Calls the handler here and now, unless the observer is gone.
    func call(_ value: Value)
}

/// Where an entry stands beside its key.
struct EntryPosition<Value: Sendable>: Sendable {
    /// The address of the owner. It names the owner only as long as that lives.
    let owner: ObjectIdentifier?
    /// The place it occupies under its key, at most one entry each.
    let slot: Slot?
    /// The lane of its calls; `nil` for `.immediate`.
    let lane: Lane<Value>?

    /// Where calls run; `nil` if that was an actor that is gone.
    var delivery: Delivery? { lane.map { $0.delivery } ?? .immediate }
}

/// A place under a key that holds one registration: the next one with the same slot replaces it.
enum Slot: Hashable, Sendable {
    case owner(ObjectIdentifier)
    case name(String)
}

/// An entry bound to the life of an owner.
final class OwnedEntry<Owner: AnyObject & Sendable, Value: Sendable>: Entry {
    let position: EntryPosition<Value>
    private let weakOwner: WeakOwner<Owner>
    private let handler: @Sendable (Owner, Value) -> Void

    init(owner: Owner, position: EntryPosition<Value>, handler: @escaping @Sendable (Owner, Value) -> Void) {
        weakOwner = WeakOwner(owner)
        self.position = position
        self.handler = handler
    }

    var owner: (any AnyObject & Sendable)? { weakOwner.load() }

    var isDead: Bool { weakOwner.load() == nil }

    func deliver(_ value: Value) -> Bool {
        guard let owner = weakOwner.load() else { return false }
        if let lane = position.lane { return lane.post(value, to: self) }
        handler(owner, value)
        return true
    }

    func call(_ value: Value) {
        if let owner = weakOwner.load() { handler(owner, value) }
    }
}

/// An entry without an owner: it ends with its token, by its name, or never.
final class FreeEntry<Value: Sendable>: Entry {
    let position: EntryPosition<Value>
    private let handler: @Sendable (Value) -> Void

    init(position: EntryPosition<Value>, handler: @escaping @Sendable (Value) -> Void) {
        self.position = position
        self.handler = handler
    }

    var owner: (any AnyObject & Sendable)? { nil }

    var isDead: Bool { false }

    func deliver(_ value: Value) -> Bool {
        if let lane = position.lane { return lane.post(value, to: self) }
        handler(value)
        return true
    }

    func call(_ value: Value) { handler(value) }
}
