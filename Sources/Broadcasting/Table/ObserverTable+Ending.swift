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
        registry.withLock { $0.removeAll(from: key) }.count
    }

    /// Ends all registrations of an owner under a key. May be called from the owner's `deinit`.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func removeAll(ownedBy owner: AnyObject, from key: Key) -> Int {
        registry.withLock { $0.removeAll(ownedAt: ObjectIdentifier(owner), from: key) }.count
    }

    /// Ends all registrations of an owner. May be called from the owner's `deinit`.
    ///
    /// - Returns: how many there were.
    @discardableResult
    package func removeAll(ownedBy owner: AnyObject) -> Int {
        registry.withLock { $0.removeAll(ownedAt: ObjectIdentifier(owner)) }.count
    }

    /// A token that ends the registration when it is cancelled or released; it keeps neither table nor observer alive.
    ///
    /// Stored in the observer itself it makes the end prompt: the observer's last reference takes the token with it,
    /// and the token the entry.
    package func token(for registration: Registration<Key>) -> ObservationToken {
        ObservationToken { [weak self] in self?.remove(registration) }
    }
}
