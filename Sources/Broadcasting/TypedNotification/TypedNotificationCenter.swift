import Locking

/// Where typed notifications are posted and heard.
///
/// Programs use the shared one, which is the default everywhere; tests make their own, and hear nothing of each other.
///
/// ```swift
/// let center = TypedNotificationCenter()
/// MarketChanged.observe(.always, in: center) { info in … }
/// MarketChanged.post(("zzf", 18), in: center)
/// ```
public final class TypedNotificationCenter: Sendable {
    /// The one for the whole process.
    public static let shared = TypedNotificationCenter()

    /// The values are a `Box` of the `Info` that the key names.
    let table = ObserverTable<Key, any ErasedValue>()

    /// The payload's type of every name that was used. Only debug builds fill it.
    private let infos = Lock<[String: Any.Type]>([:])

    /// A centre of its own.
    public init() {}

    /// A name, and the type of what is posted under it: so no observer is ever handed a payload of another type.
    struct Key: Hashable, Sendable {
        let name: String
        let info: ObjectIdentifier
    }

    func key<Notification: TypedNotification>(of type: Notification.Type) -> Key {
        let name = Notification.name
        assert(
            claim(name, for: Notification.Info.self),
            "\(type) carries \(Notification.Info.self), but \"\(name)\" names a notification with another payload already"
        )
        return Key(name: name, info: ObjectIdentifier(Notification.Info.self))
    }

    private func claim(_ name: String, for info: Any.Type) -> Bool {
        infos.withLock { infos in
            let claimed = infos[name] ?? info
            infos[name] = claimed
            return claimed == info
        }
    }
}
