import Locking

extension ObserverTable {
    /// Ends one registration.
    ///
    /// - Returns: whether it had not ended before.
    @discardableResult
    package func remove(_ registration: Registration<Key>) -> Bool {
        registry.withLock { $0.remove(registration.id, from: registration.key) } != nil
    }

    /// Ends the one registration of a name under a key.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func remove(name: String, from key: Key) -> Bool {
        registry.withLock { $0.remove(.name(name), from: key) } != nil
    }

    /// Ends all registrations under a key.
    ///
    /// - Returns: how many there were, dead ones that no sweep had met included.
    @discardableResult
    package func removeAll(_ key: Key) -> Int {
        var ids: [RegistrationID] = []
        read(key) { members in members.forEach { ids.append($0.subject.id) } }
        return remove(ids, from: key)
    }

    /// Ends all registrations of an owner under a key. May be called from the owner's `deinit`.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func removeAll(ownedBy owner: AnyObject, from key: Key) -> Int {
        removeAll(ownedAt: ObjectIdentifier(owner), from: key)
    }

    /// Ends all registrations of an owner. May be called from the owner's `deinit`.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func removeAll(ownedBy owner: AnyObject) -> Int {
        removeAll(ownedAt: ObjectIdentifier(owner), from: nil)
    }

    /// A token that ends the registration when it is cancelled or released; it keeps neither table nor observer alive.
    ///
    /// Stored in the observer itself it makes the end prompt: the observer's last reference takes the token with it,
    /// and the token the entry.
    package func token(for registration: Registration<Key>) -> ObservationToken {
        ObservationToken { [weak self] in self?.remove(registration) }
    }

    /// Ends registrations by id, in slices, between which others get the lock, and in which it is free when entries are
    /// released.
    ///
    /// - Returns: how many had not ended before.
    @discardableResult
    func remove(_ ids: [RegistrationID], from key: Key) -> Int {
        var count = 0
        for start in stride(from: 0, to: ids.count, by: Registry<Key, Value>.slice) {
            let slice = ids[start...].prefix(Registry<Key, Value>.slice)
            count += registry.withLock { registry in slice.compactMap { registry.remove($0, from: key) } }.count
        }
        return count
    }

    private func removeAll(ownedAt owner: ObjectIdentifier, from key: Key?) -> Int {
        var count = 0
        while true {
            let removed = registry.withLock { $0.removeSlice(ownedAt: owner, from: key) }
            count += removed.count
            if removed.count < Registry<Key, Value>.slice { return count }
        }
    }
}
