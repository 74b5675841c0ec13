import Locking

/// The core of every type in this module: a table of weakly owned handlers under keys, safe from any thread.
///
/// ```swift
/// let table = ObserverTable<TopicPattern, Event>()
/// let registration = table.register(pattern, owner: stream) { stream, event in stream.receive(event) }
/// stream.keep(table.token(for: registration))     // the entry goes at once when `stream` goes
/// table.notify(pattern, event)
/// ```
///
/// What holds, whatever threads do:
/// - The table owns no observer. A dead one is never called, and its entry goes: at once through a token or a
///   `Lifetime`, else when a notification meets it or the next sweep is due.
/// - Entries are immutable. A notification takes a copy of its key's roster under the lock, which costs one retain,
///   and calls from the copy without it; so a change made meanwhile counts from the next notification.
/// - Nothing is called, and no reference to an observer, entry, handler or key released, while the lock is held. Whoever
///   finds a dead owner under the lock cannot know: loading a weak reference and letting go again may run a `deinit`.
///   So sweeps look at copies, and remove by id. Only hashing and comparing keys happens inside: so `Key` is a type whose
///   `==` and `hash(into:)` are of this project, and call nothing else; see `ActionKey` for keys of strangers.
/// - The lock is held for a slice of the entries at most, however many are to go.
/// - Memory is proportional to the observers that live; keys without observers are not kept. The content of an observer
///   is released when it dies. Its own memory, and with it its address, is free again when its entry is out: each
///   fourth registration looks at eight entries in turn, and at more while it finds dead ones.
package final class ObserverTable<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    /// Guards everything; held for bookkeeping only, see above.
    let registry: Lock<Registry<Key, Value>>
    private let readings: Readings

    package init() {
        readings = Readings()
        registry = Lock(Registry(readings: readings))
    }

    deinit {
        registry.withLock { $0.endAll() }
    }

    /// Calls the observers of a key, in order of registration: those with `.immediate` delivery before it returns.
    ///
    /// Takes the lock once, again only when it met dead entries, and allocates nothing for `.immediate`.
    ///
    /// - Parameter skipped: a registration that is not to hear it.
    package func notify(_ key: Key, _ value: Value, skipping skipped: Registration<Key>? = nil) {
        guard let members = registry.withLock({ $0.members(of: key) }) else { return }
        remove(deliver(value, to: consume members, skipping: skipped), from: key)
    }

    /// The same for keys that are not told apart under the lock.
    ///
    /// - Parameter isMeant: whether the key as it was registered is the one that is meant; if not, nobody is called.
    /// - Returns: whether there was the key, and it was meant.
    func notify(_ key: Key, _ value: Value, where isMeant: (Key) -> Bool) -> Bool {
        guard let (key, members) = registry.withLock({ $0.keyAndMembers(of: key) }), isMeant(key) else { return false }
        remove(deliver(value, to: consume members), from: key)
        return true
    }

    /// Calls entries, and lets go of them, or what is removed next would be copied for this reader.
    ///
    /// - Returns: those that are dead.
    @inline(__always)
    private func deliver(
        _ value: Value,
        to members: consuming Roster<Value>.Members,
        skipping skipped: Registration<Key>? = nil
    ) -> [RegistrationID] {
        var dead: [RegistrationID] = []
        let skipped = skipped?.id
        members.forEach { member in
            if member.subject.id != skipped, !member.subject.entry.deliver(value) {
                dead.append(member.subject.id)
            }
        }
        readings.end()
        return dead
    }

    /// Runs a closure with the entries of a key, if there are any, without the lock.
    @inline(__always)
    func read(_ key: Key, _ body: (Roster<Value>.Members) -> Void) {
        guard let members = registry.withLock({ $0.members(of: key) }) else { return }
        body(members)
        readings.end()
    }

    /// Tells one registration alone, unless it has ended.
    func notify(_ registration: Registration<Key>, _ value: Value) {
        let entry = registry.withLock { $0.entry(of: registration) }
        _ = entry?.deliver(value)
    }

    /// Registers a handler for as long as `owner` lives: not at all from its `deinit`.
    ///
    /// - Parameters:
    ///   - replacing: which earlier registration under this key it takes the place of, if any.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    @discardableResult
    package func register<Owner: AnyObject & Sendable>(
        _ key: Key,
        owner: Owner,
        replacing: Replacement = .nothing,
        deliver: Delivery = .immediate,
        handler: @escaping @Sendable (Owner, Value) -> Void
    ) -> Registration<Key> {
        if isEnding(owner) { return .none(key) }
        let address = ObjectIdentifier(owner)
        let slot: Slot? =
            switch replacing {
            case .nothing: nil
            case .sameOwner: .owner(address)
            }
        let route = CallPath(deliver, of: StrandDirectory.Key(address: address))
        let registration = add(key, owner: address, slot: slot, route: route) {
            OwnedEntry(owner: owner, position: $0, handler: handler)
        }
        (owner as? any LifetimeOwner)?.lifetime.tell(self, ofOwnerAt: address)
        return registration
    }

    /// Registers a handler that belongs to nobody: it ends with a token, by its name, or never.
    @discardableResult
    package func register(
        _ key: Key,
        name: String? = nil,
        deliver: Delivery = .immediate,
        handler: @escaping @Sendable (Value) -> Void
    ) -> Registration<Key> {
        let strand = name.map { StrandDirectory.Key(address: ObjectIdentifier(readings), name: $0) }
        let route = CallPath(deliver, of: strand, keeping: readings)
        return add(key, owner: nil, slot: name.map { .name($0) }, route: route) {
            FreeEntry(position: $0, handler: handler)
        }
    }

    /// Which earlier registration under the same key a new one takes the place of.
    package enum Replacement: Sendable {
        /// None: an owner may have many.
        case nothing
        /// The one of the same owner that was made with this, too.
        case sameOwner
    }

    // Callers do not know the type of the owner, so the compiler does not specialize what they call by itself. Unspecialized
    // it looks generic types up at every step: 5 µs instead of 1.5.
    @specialized(where Key == ActionKey, Value == ActionCenter.Payload)
    @specialized(where Key == ObjectIdentifier, Value == any ErasedValue)
    @specialized(where Key == SoleKey, Value == any ErasedValue)
    @specialized(where Key == SoleKey, Value == Announcement)
    @specialized(where Key == TypedNotificationCenter.Key, Value == any ErasedValue)
    func add(
        _ key: Key,
        owner: ObjectIdentifier?,
        slot: Slot?,
        route: CallPath?,
        entry: (EntryPosition) -> any Entry<Value>
    ) -> Registration<Key> {
        let (added, next) = registry.withLock { registry in
            let added = registry.add(key, owner: owner, slot: slot, route: route, entry: entry)
            return (added, added.id % Self.sweepInterval == 0 ? registry.nextToSweep(Self.sweepStep) : nil)
        }
        if let next { sweep(next) }
        return Registration(key: key, id: added.id)
    }
}
