/// What an `ObserverTable` knows: which entries stand under which key, and which belong to which owner.
///
/// A pure state machine: no lock, no call to an observer. Every removal returns the entries it took out, because
/// releasing an entry releases its handler and with it whatever that captured: the table does so after unlocking.
///
/// Invariants:
/// - a key is in `buckets` exactly while its roster has entries;
/// - an owner's address is in `owners` exactly while entries bound to it stand in some bucket, and lists all of them;
/// - a slot names an entry of the same bucket;
/// - ids are handed out once, in the order of registration.
///
/// Addresses of owners are used to find entries, never to decide whose they are: whatever stands under the address of
/// an object in hand is either that object's or a dead one's, and both may go when that object's go.
struct Registry<Key: Hashable & Sendable, Value: Sendable> {
    private struct Bucket {
        var roster = Roster<Value>()
        var slots: [Slot: RegistrationID] = [:]
    }

    private var buckets: [Key: Bucket] = [:]
    private var owners: [ObjectIdentifier: Belongings] = [:]
    private var lastID: RegistrationID = 0

    /// Registrations under all keys, dead ones included.
    private(set) var count = 0

    var sweepSchedule = SweepSchedule()

    var keys: [Key] { Array(buckets.keys) }

    func roster(of key: Key) -> Roster<Value>? { buckets[key]?.roster }

    func entry(of registration: Registration<Key>) -> (any Entry<Value>)? {
        buckets[registration.key]?.roster[registration.id]
    }

    var rosters: [(key: Key, roster: Roster<Value>)] { buckets.map { ($0.key, $0.value.roster) } }

    /// Adds an entry in place of the one that has its slot, if any.
    mutating func add(
        _ key: Key,
        owner: ObjectIdentifier?,
        slot: Slot?,
        route: Route?,
        entry make: (EntryPosition) -> any Entry<Value>
    ) -> (id: RegistrationID, replaced: (any Entry<Value>)?) {
        let replaced = slot.flatMap { buckets[key]?.slots[$0] }.flatMap { take($0, from: key) }
        lastID += 1
        // What is replaced has not ended: what was handed over to it is still to be heard.
        let end = replaced?.position.end ?? EndMark()
        let position = EntryPosition(route: route, owner: owner, slot: slot, end: end)
        buckets[key, default: Bucket()].roster.append(.init(id: lastID, entry: make(position)))
        if let slot { buckets[key]?.slots[slot] = lastID }
        if let owner { owners[owner, default: Belongings()].add(lastID, key) }
        count += 1
        return (lastID, replaced)
    }

    /// Ends a registration.
    mutating func remove(_ id: RegistrationID, from key: Key) -> (any Entry<Value>)? {
        let entry = take(id, from: key)
        entry?.position.end.set()
        return entry
    }

    private mutating func take(_ id: RegistrationID, from key: Key) -> (any Entry<Value>)? {
        guard let index = buckets.index(forKey: key),
            let entry = buckets.values[index].roster.remove(id)
        else { return nil }
        if let slot = entry.position.slot { buckets.values[index].slots[slot] = nil }
        if buckets.values[index].roster.isEmpty { buckets.removeValueShrinking(forKey: key) }
        forget(id, at: entry.position)
        return entry
    }

    mutating func remove(_ slot: Slot, from key: Key) -> (any Entry<Value>)? {
        buckets[key]?.slots[slot].flatMap { remove($0, from: key) }
    }

    /// Ends all registrations under a key.
    mutating func removeAll(from key: Key) -> Roster<Value> {
        guard let roster = buckets.removeValueShrinking(forKey: key)?.roster else { return Roster() }
        roster.forEach {
            forget($0.subject.id, at: $0.subject.entry.position)
            $0.subject.entry.position.end.set()
        }
        return roster
    }

    /// Ends all registrations, with the table.
    func endAll() {
        for bucket in buckets.values { bucket.roster.forEach { $0.subject.entry.position.end.set() } }
    }

    /// Ends the registrations of an owner, under one key or under all.
    mutating func removeAll(ownedAt owner: ObjectIdentifier, from key: Key? = nil) -> [any Entry<Value>] {
        registrations(ownedAt: owner)
            .filter { key == nil || $0.key == key }
            .compactMap { remove($0.id, from: $0.key) }
    }

    func entries(ownedAt owner: ObjectIdentifier) -> [(registration: Registration<Key>, entry: any Entry<Value>)] {
        registrations(ownedAt: owner).compactMap { registration in
            entry(of: registration).map { (registration, $0) }
        }
    }

    private func registrations(ownedAt owner: ObjectIdentifier) -> [Registration<Key>] {
        owners[owner]?.registrations.map { Registration(key: $0.value, id: $0.key) } ?? []
    }

    private mutating func forget(_ id: RegistrationID, at position: EntryPosition) {
        count -= 1
        guard let owner = position.owner, let index = owners.index(forKey: owner) else { return }
        owners.values[index].remove(id)
        if owners.values[index].registrations.isEmpty { owners.removeValueShrinking(forKey: owner) }
    }
}
