import Locking

extension ObserverTable {
    /// Every so many registrations look for entries whose owner is gone.
    static var sweepInterval: RegistrationID { 4 }

    /// How many entries are looked at: two for each registration, so that the dead become fewer though each one that is
    /// added dies.
    static var sweepStep: Int { 8 }

    /// About how many entries a registration looks at, at the most: as long as it finds dead ones it goes on.
    static var sweepLimit: Int { 4 * Registry<Key, Value>.slice }

    /// Removes those of the entries whose owner is gone, and goes on while there are any.
    func sweep(_ members: [Registry<Key, Value>.Member]) {
        var members = members
        var seen = 0
        while seen < Self.sweepLimit {
            let dead = members.filter { $0.entry.isDead }
            if dead.isEmpty { return }
            let removed = registry.withLock { registry in dead.map { registry.removeSole($0) } }
            for (member, removed) in zip(dead, removed) where removed == nil {
                if let owner = member.entry.position.owner { seen += removeDead(ownedAt: owner) }
            }
            seen += members.count
            members = registry.withLock { $0.nextToSweep(Registry<Key, Value>.slice) }
        }
    }

    /// Removes the entries of an owner that is gone: a slice of them, all if it is less. The lock is free when entries are
    /// looked at and released.
    ///
    /// - Returns: how many.
    private func removeDead(ownedAt address: ObjectIdentifier) -> Int {
        let dead = registry.withLock { $0.slice(ownedAt: address) }.filter { $0.entry.isDead }.map(\.registration)
        _ = registry.withLock { registry in dead.map { registry.remove($0.id, from: $0.key) } }
        return dead.count
    }
}

extension ObserverTable: LifetimeFollower {
    /// Removes the owner's entries. Should the lifetime have outlived its owner, another object may live at the address by
    /// now, whose entries stay.
    func lifetimeEnded(ofOwnerAt address: ObjectIdentifier) {
        while removeDead(ownedAt: address) == Registry<Key, Value>.slice {}
    }
}
