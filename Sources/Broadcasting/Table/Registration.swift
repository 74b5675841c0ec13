/// The name of one registration in its table, good for ending it.
///
/// It holds neither the entry nor the observer, and an id is never used twice, so ending a registration that is gone
/// already does nothing, whatever has been registered since.
package struct Registration<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    let id: RegistrationID

    /// Of nothing that was ever registered.
    static func none(_ key: Key) -> Registration { Registration(key: key, id: 0) }
}
