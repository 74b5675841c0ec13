/// Observers by protocol: any object registers for a protocol it conforms to, and a post calls a closure on each of them.
///
/// ```swift
/// @MainActor protocol TitleUpdating: AnyObject, Sendable { func update(title: String) }
///
/// Broadcaster.shared.register((any TitleUpdating).self, observer: label)
/// Broadcaster.shared.notify(onMain: (any TitleUpdating).self) { $0.update(title: "hello") }
/// ```
///
/// Observers are held weakly: nobody has to unregister. A released one is never called again. Its entry goes at once if
/// the observer is a `LifetimeOwner`, otherwise when a notification or a sweep meets it.
///
/// Keys are the protocols themselves, not their names: two protocols of one name in two modules do not collide. All
/// methods may be called from any thread, from inside a notification and from the observer's `deinit`; a change made
/// during a notification counts from the next one. Protocols have to be `Sendable`, because posters may be anywhere. One
/// that is isolated to the main actor is posted to with `notify(onMain:)`, any other with `notify`.
public final class Broadcaster: Sendable {
    /// The one for the whole process.
    public static let shared = Broadcaster()

    /// The keys are the identities of types, which their printed names are not. The values are `SubjectCall<Subject>`, where
    /// `Subject` is the type of the key.
    let table = ObserverTable<ObjectIdentifier, any ErasedValue>()

    /// A broadcaster of its own, whose observers hear nothing of any other.
    public init() {}

    /// Registers an observer for a protocol. Registering again replaces the registration: it is called once.
    ///
    /// - Parameters:
    ///   - subject: the protocol, such as `(any TitleUpdating).self`; a class works, too. Its static type counts: in a
    ///     variable of type `View.Type` it is `View`, whatever subclass the variable holds.
    ///   - observer: an instance of a class. Anything else is a programmer's mistake and stops the program.
    ///   - deliver: where it is called.
    public func register<Subject: Sendable>(
        _ subject: Subject.Type,
        observer: Subject,
        deliver: Delivery = .main
    ) {
        table.register(key(of: Subject.self), subject: observer, deliver: deliver) { observer, call in
            call.known(as: SubjectCall<Subject>.self).body(observer)
        }
    }

    /// Calls a closure on every observer of a protocol, in order of registration, each where it wished to be called.
    ///
    /// Returns when those with `.immediate` delivery have been called and the calls of all others are handed over.
    ///
    /// ```swift
    /// Broadcaster.shared.notify((any Ticking).self) { $0.tick() }
    /// ```
    public func notify<Subject: Sendable>(
        _ subject: Subject.Type,
        _ body: @escaping @Sendable (Subject) -> Void
    ) {
        table.notify(key(of: Subject.self), SubjectCall(body))
    }

    // The type that the compiler knows, which is that of the closures. A metatype may be another one's at run time:
    // `let subject: View.Type = Label.self` is for observers that are views.
    func key<Subject>(of subject: Subject.Type) -> ObjectIdentifier { ObjectIdentifier(Subject.self) }

    /// Ends the registration of one observer for one protocol.
    public func unregister<Subject>(_ subject: Subject.Type, observer: Subject) {
        if let object = object(behind: observer) { table.removeAll(ownedBy: object, from: key(of: Subject.self)) }
    }

    /// Ends all registrations for a protocol.
    public func unregister<Subject>(_ subject: Subject.Type) {
        table.removeAll(key(of: Subject.self))
    }

    /// Ends all registrations of an observer.
    public func unregister(observer: AnyObject) {
        table.removeAll(ownedBy: observer)
    }

    /// How many observers of a protocol live. Visits all of them.
    public func count<Subject>(of subject: Subject.Type) -> Int {
        table.count(of: key(of: Subject.self))
    }
}
