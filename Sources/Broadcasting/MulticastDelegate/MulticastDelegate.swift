/// Many delegates in place of one.
///
/// ```swift
/// protocol RedPointDelegate: AnyObject, Sendable { func redPointDidReceive(_ model: Model) }
///
/// let delegates = MulticastDelegate<any RedPointDelegate>()
/// delegates.add(self, deliver: .queue(queue))
/// delegates.invoke { $0.redPointDidReceive(model) }
/// ```
///
/// Delegates are held weakly, each is called where it wished to be. A released one is never called again; its entry goes
/// at once if it is a `LifetimeOwner`, otherwise when an invocation or a sweep meets it. Requirements that a delegate may
/// leave out have a default implementation in an extension of the protocol: it is called instead and does nothing.
public final class MulticastDelegate<Delegate: Sendable>: Sendable {
    /// The values are `SubjectCall<Delegate>`, which the table does not know, so that it is compiled for this one type of value.
    let table = ObserverTable<SoleKey, any ErasedValue>()

    /// Without delegates.
    public init() {}

    /// How many delegates live. Visits all.
    public var count: Int { table.count(of: SoleKey()) }

    /// Adds a delegate. Adding again replaces the registration: it is called once.
    ///
    /// - Parameters:
    ///   - delegate: an instance of a class, held weakly. Anything else is a programmer's mistake and stops the program.
    ///   - deliver: where it is called.
    public func add(_ delegate: Delegate, deliver: Delivery = .main) {
        table.register(SoleKey(), subject: delegate, deliver: deliver) { delegate, call in
            call.known(as: SubjectCall<Delegate>.self).body(delegate)
        }
    }

    /// Removes a delegate.
    public func remove(_ delegate: Delegate) {
        if let object = object(behind: delegate) { table.removeAll(ownedBy: object) }
    }

    /// Calls a closure on every delegate, in order of addition, each where it wished to be called.
    ///
    /// Returns when those with `.immediate` delivery have been called and the calls of all others are handed over.
    public func invoke(_ body: @escaping @Sendable (Delegate) -> Void) {
        table.notify(SoleKey(), SubjectCall(body))
    }
}
