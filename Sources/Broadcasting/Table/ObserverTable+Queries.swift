import Locking

extension ObserverTable {
    /// How many registrations under a key are alive. Visits all of them.
    package func count(of key: Key) -> Int {
        var count = 0
        read(key) { _, members in members.forEach { if !$0.subject.entry.isDead { count += 1 } } }
        return count
    }

    /// Whether a notification of a key would reach nobody. Visits entries up to the first that is alive.
    package func isEmpty(_ key: Key) -> Bool {
        var isEmpty = true
        read(key) { _, members in isEmpty = members.allSatisfy { $0.entry.isDead } }
        return isEmpty
    }

    /// The owners under a key that are alive, in order of registration; one that registered twice appears twice.
    package func owners<Owner>(of key: Key, as type: Owner.Type = Owner.self) -> [Owner] {
        reachable(under: key, as: type).map(\.owner)
    }

    /// The same with more of each. An owner whose actor is gone can be called nowhere.
    func reachable<Owner>(under key: Key, as type: Owner.Type = Owner.self) -> [Reachable<Owner, Key>] {
        var found: [Reachable<Owner, Key>] = []
        read(key) { key, members in
            members.forEach { member in
                if let owner = member.subject.entry.owner, let owner = owner as? Owner,
                    let delivery = member.subject.entry.position.delivery
                {
                    let registration = Registration(key: key, id: member.subject.id)
                    found.append(Reachable(owner: owner, delivery: delivery, registration: registration))
                }
            }
        }
        return found
    }

    /// The keys that have registrations, in no order.
    package var keys: [Key] { registry.withLock { $0.keys } }

    /// Registrations under all keys in O(1), those that are dead and not yet swept included.
    package var registrationCount: Int { registry.withLock { $0.count } }
}

/// An owner that is alive, and where it wishes to be called.
struct Reachable<Owner, Key: Hashable & Sendable> {
    let owner: Owner
    let delivery: Delivery
    let registration: Registration<Key>
}

extension Reachable: Sendable where Owner: Sendable {}
