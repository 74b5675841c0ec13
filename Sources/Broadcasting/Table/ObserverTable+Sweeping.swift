import Locking

extension ObserverTable {
    /// How many entries every registration looks at: two, so that the dead become fewer though each one that is added dies.
    static var sweepStep: Int { 2 }

    /// How many entries a registration looks at, about, at the most: as long as it finds dead ones it goes on.
    static var sweepLimit: Int { 4 * Registry<Key, Value>.slice }

    /// Removes the owners of those of the entries that are dead, and goes on while there are any.
    func sweep(_ members: [Registry<Key, Value>.Member]) {
        var members = members
        var seen = 0
        repeat {
            var dead: Set<ObjectIdentifier> = []
            for member in members where member.entry.isDead {
                if let owner = member.entry.position.owner { dead.insert(owner) }
            }
            if dead.isEmpty { return }
            seen += members.count
            for owner in dead { seen += removeDead(ownedAt: owner) }
            members = registry.withLock { $0.nextToSweep(Registry<Key, Value>.slice) }
        } while seen < Self.sweepLimit
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
