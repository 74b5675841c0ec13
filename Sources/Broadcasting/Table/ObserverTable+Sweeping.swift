import Locking

extension ObserverTable {
    /// Looks at every entry and removes those whose owner is gone.
    func sweep() {
        for (key, roster) in registry.withLock({ $0.rosters }) {
            var dead: [RegistrationID] = []
            roster.forEach { if $0.subject.entry.isDead { dead.append($0.subject.id) } }
            remove(dead, from: key)
        }
        registry.withLock { $0.sweepSchedule.finish(count: $0.count) }
    }

    /// Removes entries that were found dead. The lock is free again when they are released.
    func remove(_ ids: [RegistrationID], from key: Key) {
        guard !ids.isEmpty else { return }
        _ = registry.withLock { registry in ids.compactMap { registry.remove($0, from: key) } }
    }
}

extension ObserverTable: LifetimeFollower {
    /// Removes the owner's entries. Should the lifetime have outlived its owner, another object may live at the address by
    /// now, whose entries stay.
    func lifetimeEnded(ofOwnerAt address: ObjectIdentifier) {
        let found = registry.withLock { $0.entries(ownedAt: address) }
        for (registration, entry) in found where entry.isDead { remove(registration) }
    }
}
