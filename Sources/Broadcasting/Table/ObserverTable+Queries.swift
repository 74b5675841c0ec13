import Locking

extension ObserverTable {
    /// How many registrations under a key are alive. Visits all of them.
    package func count(of key: Key) -> Int {
        var count = 0
        registry.withLock { $0.roster(of: key) }?.forEach { if !$0.entry.isDead { count += 1 } }
        return count
    }

    /// Whether a notification of a key would reach nobody. Visits entries up to the first that is alive.
    package func isEmpty(_ key: Key) -> Bool {
        guard let roster = registry.withLock({ $0.roster(of: key) }) else { return true }
        return roster.chunks.allSatisfy { $0.allSatisfy { $0.entry.isDead } }
    }

    /// The owners under a key that are alive, in order of registration; one that registered twice appears twice.
    package func owners<Owner>(of key: Key, as type: Owner.Type = Owner.self) -> [Owner] {
        var owners: [Owner] = []
        registry.withLock { $0.roster(of: key) }?.forEach { member in
            if let owner = member.entry.owner, let owner = owner as? Owner { owners.append(owner) }
        }
        return owners
    }

    /// The keys that have registrations, in no order.
    package var keys: [Key] { registry.withLock { $0.keys } }

    /// Registrations under all keys in O(1), those that are dead and not yet swept included.
    package var registrationCount: Int { registry.withLock { $0.count } }
}
