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

    /// Whether the observer, or the actor that it is called on, is gone and the entry has only to be swept. The rule of
    /// `owner` holds.
    var isDead: Bool { get }

    /// What the table needs to know to take the entry out again.
    var position: EntryPosition { get }

    /// Calls the handler or hands the call over.
    ///
    /// - Returns: `false` if the entry is dead.
    func deliver(_ value: Value) -> Bool

    /// Calls the handler here and now, unless the observer is gone or the registration has ended.
    func call(_ value: Value)
}

/// Where an entry stands beside its key.
struct EntryPosition: Sendable {
    /// The way of its calls; `nil` for `.immediate`.
    let route: CallPath?
    /// The address of the owner. It names the owner only as long as that lives.
    let owner: ObjectIdentifier?
    /// The place it occupies under its key, at most one entry each.
    let slot: Slot?
    /// Set when it ends, for calls that are handed over.
    let end: EndMark

    /// Where calls run; `nil` if that was an actor that is gone.
    var delivery: Delivery? { route.map { $0.destination.delivery } ?? .immediate }

    /// Whether calls ran on an actor that is gone: nothing will run there any more.
    var hasLostActor: Bool { route.map { $0.destination.delivery == nil } ?? false }
}

/// A place under a key that holds one registration: the next one with the same slot replaces it.
enum Slot: Hashable, Sendable {
    case owner(ObjectIdentifier)
    case name(String)
}

/// An entry bound to the life of an owner.
final class OwnedEntry<Owner: AnyObject & Sendable, Value: Sendable>: Entry {
    // What a notification reads comes first, so that it is in one line of the processor's cache.
    private let weakOwner: WeakOwner<Owner>
    private let handler: @Sendable (Owner, Value) -> Void
    let position: EntryPosition

    init(owner: Owner, position: EntryPosition, handler: @escaping @Sendable (Owner, Value) -> Void) {
        weakOwner = WeakOwner(owner)
        self.position = position
        self.handler = handler
    }

    var owner: (any AnyObject & Sendable)? { weakOwner.load() }

    var isDead: Bool { weakOwner.load() == nil || position.hasLostActor }

    func deliver(_ value: Value) -> Bool {
        guard let owner = weakOwner.load() else { return false }
        if let route = position.route { return handOver(value, by: route) }
        handler(owner, value)
        return true
    }

    func call(_ value: Value) {
        if !position.end.isSet, let owner = weakOwner.load() { handler(owner, value) }
    }
}

/// An entry without an owner: it ends with its token, by its name, or never.
final class FreeEntry<Value: Sendable>: Entry {
    let position: EntryPosition
    private let handler: @Sendable (Value) -> Void

    init(position: EntryPosition, handler: @escaping @Sendable (Value) -> Void) {
        self.position = position
        self.handler = handler
    }

    var owner: (any AnyObject & Sendable)? { nil }

    var isDead: Bool { position.hasLostActor }

    func deliver(_ value: Value) -> Bool {
        if let route = position.route { return handOver(value, by: route) }
        handler(value)
        return true
    }

    func call(_ value: Value) {
        if !position.end.isSet { handler(value) }
    }
}

extension Entry {
    /// Has the handler called later, in its observer's strand.
    ///
    /// Not inlined: a call made at once would pay for the room that this takes, of a size that is looked up.
    @inline(never)
    func handOver(_ value: Value, by route: CallPath) -> Bool {
        route.strand.post(HandedCall(value, to: self, by: route))
    }

    /// Calls the handler on the main actor, wherever it is called otherwise: at once if that is at once, the caller is there and
    /// no call waits for the observer.
    ///
    /// - Returns: `false` if the entry is dead.
    func deliverOnMain(_ value: Value, isThere: Bool) -> Bool {
        guard !isDead else { return false }
        var route = position.route
        let key = position.owner.map { StrandDirectory.Key(address: $0) }
        if route == nil, isThere, key.map(StrandDirectory.isBusy) != true { return deliver(value) }
        if route.map({ $0.destination == .main }) != true { route = CallPath(.main, of: key) }
        return route.map { handOver(value, by: $0) } ?? false
    }
}

/// A value on its way to an entry.
private final class HandedCall<Value: Sendable>: StrandCall {
    private let value: Value
    private let entry: any Entry<Value>
    private let route: CallPath

    init(_ value: Value, to entry: any Entry<Value>, by route: CallPath) {
        self.value = value
        self.entry = entry
        self.route = route
    }

    var destination: WeakDelivery { route.destination }

    func run() { entry.call(value) }
}
