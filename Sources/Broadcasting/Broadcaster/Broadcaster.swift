/// Observers by protocol: any object registers for a protocol it conforms to, and a post calls a closure on each of them.
///
/// ```swift
/// protocol TitleUpdating: Sendable { func update(title: String) }
///
/// Broadcaster.shared.register((any TitleUpdating).self, observer: label)
/// Broadcaster.shared.notify((any TitleUpdating).self) { $0.update(title: "hello") }
/// ```
///
/// Observers are held weakly: nobody has to unregister. A released one is never called again. Its entry goes at once if
/// the observer is a `LifetimeOwner`, otherwise when a notification or a sweep meets it.
///
/// Keys are the protocols themselves, not their names: two protocols of one name in two modules do not collide. All
/// methods may be called from any thread, from inside a notification and from the observer's `deinit`; a change made
/// during a notification counts from the next one. Protocols have to be `Sendable`, because posters may be anywhere; one
/// that is isolated to the main actor is posted to with `{ observer in MainActor.assumeIsolated { … } }`, which holds for
/// observers with the delivery `.main`.
public final class Broadcaster: Sendable {
    /// The one for the whole process.
    public static let shared = Broadcaster()

    /// The values are `Call<Subject>`, where `Subject` is the type the key was made of.
    private let table = ObserverTable<ProtocolKey, any ErasedCall>()

    /// A broadcaster of its own, whose observers hear nothing of any other.
    public init() {}

    /// Registers an observer for a protocol. Registering again replaces the registration: it is called once.
    ///
    /// - Parameters:
    ///   - subject: the protocol, such as `(any TitleUpdating).self`; a class works, too.
    ///   - observer: an instance of a class. Anything else is a programmer's mistake and stops the program.
    ///   - deliver: where it is called.
    public func register<Subject: Sendable>(
        _ subject: Subject.Type,
        observer: Subject,
        deliver: Delivery = .main
    ) {
        let view = UnretainedView(observer)
        // Cannot fail: the view has checked that it is an object, and the signature that it is Sendable.
        register(view, of: observer as! any AnyObject & Sendable, deliver: deliver)
    }

    private func register<Subject, Owner: AnyObject & Sendable>(
        _ view: UnretainedView<Subject>,
        of owner: Owner,
        deliver: Delivery
    ) {
        table.register(ProtocolKey(Subject.self), owner: owner, replacing: .sameOwner, deliver: deliver) {
            owner,
            call in
            // Calls under the key of a type are made by `notify` for that type.
            let call = unsafe unsafeDowncast(call, to: Call<Subject>.self)
            view.lend(keptAliveBy: owner, to: call.body)
        }
    }

    /// Calls a closure on every observer of a protocol, in order of registration, each where it wished to be called.
    ///
    /// Returns when those with `.immediate` delivery have been called and the calls of all others are handed over.
    public func notify<Subject: Sendable>(
        _ subject: Subject.Type,
        _ body: @escaping @Sendable (Subject) -> Void
    ) {
        table.notify(ProtocolKey(subject), Call(body))
    }

    /// Ends the registration of one observer for one protocol.
    public func unregister<Subject>(_ subject: Subject.Type, observer: Subject) {
        table.removeAll(ownedBy: observer as AnyObject, from: ProtocolKey(subject))
    }

    /// Ends all registrations for a protocol.
    public func unregister<Subject>(_ subject: Subject.Type) {
        table.removeAll(ProtocolKey(subject))
    }

    /// Ends all registrations of an observer.
    public func unregister(observer: AnyObject) {
        table.removeAll(ownedBy: observer)
    }

    /// How many observers of a protocol live. Visits all of them.
    public func count<Subject>(of subject: Subject.Type) -> Int {
        table.count(of: ProtocolKey(subject))
    }
}

extension Broadcaster {
    /// The identity of a type, which its printed name is not.
    private struct ProtocolKey: Hashable, Sendable {
        let type: ObjectIdentifier

        init(_ type: Any.Type) { self.type = ObjectIdentifier(type) }
    }

    private protocol ErasedCall: AnyObject, Sendable {}

    /// A post: one object for all observers, however many there are.
    private final class Call<Subject>: ErasedCall {
        let body: @Sendable (Subject) -> Void

        init(_ body: @escaping @Sendable (Subject) -> Void) { self.body = body }
    }
}
