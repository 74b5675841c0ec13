/// What an `ObserverTable` knows: which entries stand under which key, and which belong to which owner.
///
/// A pure state machine: no lock, no call to an observer. Every removal returns the entries it took out, because
/// releasing an entry releases its handler and with it whatever that captured: the table does so after unlocking. Whoever
/// removes holds the key, too, so that no key is released here. Nothing takes longer than a slice: what is to be done for
/// many entries is done for some, and the table comes again.
///
/// Invariants:
/// - a key is in `buckets` exactly while its roster has entries;
/// - an owner's address is in `owners` exactly while entries bound to it stand in some bucket, and lists all of them;
/// - `mortal` has all entries that have an owner, or run on an actor; `free` the keys of those of them without an owner;
/// - a slot names an entry of the same bucket;
/// - ids are handed out once, in the order of registration.
///
/// Addresses of owners are used to find entries, never to decide whose they are: whatever stands under the address of
/// an object in hand is either that object's or a dead one's, and both may go when that object's go.
struct Registry<Key: Hashable & Sendable, Value: Sendable> {
    typealias Member = Roster<Value>.Member

    /// What was taken out. A structure of its own: arrays of pairs are released by looking at their types.
    struct Removed: Sendable {
        let registration: Registration<Key>
        let entry: any Entry<Value>
    }

    private struct Bucket {
        var roster: Roster<Value>
        var slots: [Slot: RegistrationID] = [:]
    }

    /// How much is done while others wait: some ten microseconds.
    static var slice: Int { 64 }

    private var buckets: [Key: Bucket] = [:]
    private var owners: [ObjectIdentifier: Belongings] = [:]
    /// In order of registration, for sweeps to go round.
    private var mortal: Roster<Value>
    private var free: [RegistrationID: Key] = [:]
    /// The last entry that a sweep has looked at.
    private var lastSwept: RegistrationID = 0
    private var lastID: RegistrationID = 0
    private let readings: Readings

    /// Registrations under all keys, dead ones included.
    private(set) var count = 0

    /// - Parameter readings: where the readings of rosters are ended.
    init(readings: Readings) {
        self.readings = readings
        mortal = Roster(readings: readings)
    }

    var keys: [Key] { Array(buckets.keys) }

    /// The entries of a key.
    func members(of key: Key) -> Roster<Value>.Members? { buckets[key]?.roster.members }

    /// The same with the key as it was first used, which is equal to the one that is asked for.
    func keyAndMembers(of key: Key) -> (key: Key, members: Roster<Value>.Members)? {
        guard let index = buckets.index(forKey: key) else { return nil }
        return (buckets.keys[index], buckets.values[index].roster.members)
    }

    func entry(of registration: Registration<Key>) -> (any Entry<Value>)? {
        buckets[registration.key]?.roster[registration.id]
    }

    /// Adds an entry in place of the one that has its slot, if any.
    mutating func add(
        _ key: Key,
        owner: ObjectIdentifier?,
        slot: Slot?,
        route: CallPath?,
        entry make: (EntryPosition) -> any Entry<Value>
    ) -> (id: RegistrationID, replaced: (any Entry<Value>)?) {
        let replaced = slot.flatMap { buckets[key]?.slots[$0] }.flatMap { take($0, from: key) }
        lastID += 1
        // What is replaced has not ended: what was handed over to it is still to be heard.
        let end = replaced?.position.end ?? EndMark()
        let position = EntryPosition(route: route, owner: owner, slot: slot, end: end)
        let member = Member(id: lastID, entry: make(position))
        buckets[key, default: Bucket(roster: Roster(readings: readings))].roster.append(member)
        if let slot { buckets[key]?.slots[slot] = lastID }
        if let owner {
            owners[owner, default: Belongings()].add(Registration(key: key, id: lastID))
            mortal.append(member)
        } else if route?.destination.isOfActor == true {
            free[lastID] = key
            mortal.append(member)
        }
        count += 1
        return (lastID, replaced?.entry)
    }

    /// Ends a registration.
    mutating func remove(_ id: RegistrationID, from key: Key) -> (any Entry<Value>)? {
        guard let (entry, position) = take(id, from: key) else { return nil }
        position.end.set()
        return entry
    }

    private mutating func take(_ id: RegistrationID, from key: Key) -> (
        entry: any Entry<Value>, position: EntryPosition
    )? {
        guard let index = buckets.index(forKey: key),
            let entry = buckets.values[index].roster.remove(id)
        else { return nil }
        let position = entry.position
        if let slot = position.slot { buckets.values[index].slots.removeValueShrinking(forKey: slot) }
        if buckets.values[index].roster.isEmpty { buckets.removeValueShrinking(forKey: key) }
        count -= 1
        if let owner = position.owner {
            forget(Registration(key: key, id: id), of: owner)
        } else if free.removeValueShrinking(forKey: id) != nil {
            _ = mortal.remove(id)
        }
        return (entry, position)
    }

    mutating func remove(_ slot: Slot, from key: Key) -> (any Entry<Value>)? {
        buckets[key]?.slots[slot].flatMap { remove($0, from: key) }
    }

    /// Ends registrations of an owner, under one key or under all: a slice of them, all if it is less.
    mutating func removeSlice(ownedAt owner: ObjectIdentifier, from key: Key? = nil) -> [Removed] {
        // Most owners have one.
        if let sole = owners[owner]?.sole {
            guard key == nil || sole.key == key, let entry = remove(sole.id, from: sole.key) else { return [] }
            return [Removed(registration: sole, entry: entry)]
        }
        return registrations(ownedAt: owner, under: key).compactMap { registration in
            remove(registration.id, from: registration.key).map { Removed(registration: registration, entry: $0) }
        }
    }

    /// Ends the registration of an owner that has no other, or one without an owner.
    mutating func removeSole(_ member: Member) -> Removed? {
        let sole =
            member.entry.position.owner.map { owners[$0]?.sole }
            ?? free[member.id].map { Registration(key: $0, id: member.id) }
        guard let sole, sole.id == member.id else { return nil }
        return remove(sole.id, from: sole.key).map { Removed(registration: sole, entry: $0) }
    }

    /// A slice of the entries of an owner.
    func slice(ownedAt owner: ObjectIdentifier) -> [Removed] {
        registrations(ownedAt: owner).compactMap { registration in
            entry(of: registration).map { Removed(registration: registration, entry: $0) }
        }
    }

    /// Ends all registrations, with the table.
    func endAll() {
        for bucket in buckets.values { bucket.roster.members.forEach { $0.subject.entry.position.end.set() } }
    }

    /// The entries that are next to be looked at by a sweep; again from the first, when the last has been.
    mutating func nextToSweep(_ limit: Int) -> [Member] {
        var next = mortal.members(after: lastSwept, atMost: limit)
        if next.count < limit {
            next += mortal.members(after: 0, atMost: limit - next.count).prefix { $0.id <= lastSwept }
        }
        if let last = next.last { lastSwept = last.id }
        return next
    }

    private func registrations(ownedAt owner: ObjectIdentifier, under key: Key? = nil) -> [Registration<Key>] {
        owners[owner]?.registrations(under: key, atMost: Self.slice) ?? []
    }

    private mutating func forget(_ registration: Registration<Key>, of owner: ObjectIdentifier) {
        _ = mortal.remove(registration.id)
        guard let index = owners.index(forKey: owner) else { return }
        owners.values[index].remove(registration)
        if owners.values[index].isEmpty { owners.removeValueShrinking(forKey: owner) }
    }
}
