import Locking

/// A variable that tells when it is set.
///
/// ```swift
/// let message = ObservableValue("…")
/// message.observe(label) { label, value in label.show(value) }
/// message.value = "new"
/// ```
///
/// Every observer hears every setting, in the order in which they were made. A value may be set from inside an observer:
/// that setting is announced after the one under way has reached everybody. If another thread is announcing, it announces
/// this setting, too, and the setter goes on at once; otherwise the setter returns when those with `.immediate` delivery
/// have been called.
public final class ObservableValue<Value: Sendable>: Sendable {
    private let state: Lock<ValueState>
    let table = ObserverTable<SoleKey, Announcement>()

    /// A variable that holds a value and has no observers.
    public init(_ value: Value) {
        state = Lock(ValueState(Box(value)))
    }

    /// The current value. Setting it tells every observer, even if the new value equals the old.
    public var value: Value {
        get { state.withLock { $0.current }.known(as: Box<Value>.self).content }
        set {
            let box = Box(newValue)
            if let message = state.withLock({ $0.set(box) }) { announce(message) }
        }
    }

    /// Changes the value in one step, which no other change can come between, and tells the observers once.
    ///
    /// ```swift
    /// count.withValue { $0 += 1 }
    /// ```
    ///
    /// - Parameter body: must not use this variable, other than through its parameter. If it throws, nothing has changed.
    /// - Returns: what the closure returns.
    public func withValue<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let (result, message) = try state.withLock { state throws(Failure) in
            var value = state.current.known(as: Box<Value>.self).content
            let result = try body(&value)
            return (result, state.set(Box(value)))
        }
        if let message { announce(message) }
        return result
    }

    /// Ends the registration under a key.
    public func removeObserver(forKey key: String) {
        table.remove(name: key, from: SoleKey())
    }

    /// Ends all registrations of an owner.
    public func removeObserver(_ owner: AnyObject) {
        table.removeAll(ownedBy: owner)
    }

    /// Registers an observer that hears what the value becomes from now on.
    ///
    /// - Parameters:
    ///   - initial: whether it first hears what the value is.
    ///   - register: registers a handler that leaves out what its beginning does not precede.
    @discardableResult
    func register(
        initial: Bool,
        _ register: (_ beginning: Beginning) -> Registration<SoleKey>
    ) -> Registration<SoleKey> {
        let beginning = Beginning()
        let registration = register(beginning)
        let greeting = state.withLock { state in
            beginning.set(state.version)
            return initial ? state.greet(registration) : nil
        }
        if let greeting { announce(greeting) }
        return registration
    }

    private func announce(_ message: ValueState.Message) {
        tell(message)
        while case let messages = state.withLock({ $0.next() }), !messages.isEmpty {
            for message in messages { tell(message) }
        }
    }

    private func tell(_ message: ValueState.Message) {
        if let registration = message.to {
            table.notify(registration, message.announcement)
        } else {
            table.notify(SoleKey(), message.announcement)
        }
    }
}
