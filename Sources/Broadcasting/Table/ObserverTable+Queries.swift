import Locking

extension ObserverTable {
    /// How many registrations under a key are alive. Visits all of them.
    package func count(of key: Key) -> Int {
        var count = 0
        read(key) { members in members.forEach { if !$0.subject.entry.isDead { count += 1 } } }
        return count
    }

    /// Whether a notification of a key would reach nobody. Visits entries up to the first that is alive.
    package func isEmpty(_ key: Key) -> Bool {
        var isEmpty = true
        read(key) { members in isEmpty = members.allSatisfy { $0.entry.isDead } }
        return isEmpty
    }

    /// The entries under a key whose owners are alive and can be called. An owner whose actor is gone can be called nowhere.
    func reachable(under key: Key) -> [any Entry<Value>] {
        var found: [any Entry<Value>] = []
        read(key) { members in
            members.forEach { member in
                let entry = member.subject.entry
                if !entry.isDead, entry.position.delivery != nil { found.append(entry) }
            }
        }
        return found
    }

    /// The keys that have registrations, in no order.
    package var keys: [Key] { registry.withLock { $0.keys } }

    /// Registrations under all keys in O(1), those that are dead and not yet swept included.
    package var registrationCount: Int { registry.withLock { $0.count } }
}
