/// The owner of a registration, for a handler that calls it several times: it asks before each call, so the owner is not kept
/// alive in between, and not called when its registration has ended meanwhile.
package struct OwnerReference<Owner: AnyObject & Sendable>: Sendable {
    private let reference: WeakOwner<Owner>
    private let end: EndMark

    init(_ owner: Owner, until end: EndMark) {
        reference = WeakOwner(owner)
        self.end = end
    }

    /// The owner; nil if it is gone, or the registration has ended.
    package var owner: Owner? { end.isSet ? nil : reference.load() }

    /// The owner, registered or not; nil if it is gone.
    var living: Owner? { reference.load() }
}

/// An entry bound to the life of an owner, whose handler asks for that itself.
final class LendingEntry<Owner: AnyObject & Sendable, Value: Sendable>: Entry {
    let position: EntryPosition
    private let reference: OwnerReference<Owner>
    private let handler: @Sendable (OwnerReference<Owner>, Value) -> Void

    init(
        owner: Owner,
        position: EntryPosition,
        handler: @escaping @Sendable (OwnerReference<Owner>, Value) -> Void
    ) {
        self.position = position
        self.handler = handler
        reference = OwnerReference(owner, until: position.end)
    }

    // Not through `reference.owner`: an entry that was taken out has an owner still.
    var owner: (any AnyObject & Sendable)? { reference.living }

    var isDead: Bool { reference.living == nil || position.hasLostActor }

    func deliver(_ value: Value) -> Bool {
        guard !isDead else { return false }
        if let route = position.route { return handOver(value, by: route) }
        handler(reference, value)
        return true
    }

    /// The handler finds out by itself whether there is anybody to call.
    func call(_ value: Value) { handler(reference, value) }
}

extension ObserverTable {
    /// Registers a handler for as long as `owner` lives, which may be shorter than one call of the handler.
    ///
    /// - Parameter handler: gets a reference by which it finds the owner each time that it calls it.
    @discardableResult
    package func register<Owner: AnyObject & Sendable>(
        _ key: Key,
        owner: Owner,
        deliver: Delivery = .immediate,
        lending handler: @escaping @Sendable (OwnerReference<Owner>, Value) -> Void
    ) -> Registration<Key> {
        if isEnding(owner) { return .none(key) }
        let address = ObjectIdentifier(owner)
        let route = CallPath(deliver, of: StrandDirectory.Key(address: address))
        let registration = add(key, owner: address, slot: nil, route: route) {
            LendingEntry(owner: owner, position: $0, handler: handler)
        }
        (owner as? any LifetimeOwner)?.lifetime.tell(self, ofOwnerAt: address)
        return registration
    }
}
