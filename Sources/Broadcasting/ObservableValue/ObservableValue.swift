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
/// that setting is announced after the one under way has reached everybody.
///
/// An assignment returns when those with `.immediate` delivery have been called for it, and for what they set in turn. If
/// another thread is announcing, that one announces this setting, too, and the assignment returns at once. Nobody is held up
/// for long by what others set: after ten milliseconds the rest is announced on Swift's concurrent pool, or by who sets
/// next.
public final class ObservableValue<Value: Sendable>: Sendable {
    private let state: Lock<ValueState>
    let table = ObserverTable<SoleKey, Announcement>()
    let distinctObservers = DistinctObservers()

    /// A variable that holds a value and has no observers.
    public init(_ value: Value) {
        state = Lock(ValueState(Snapshot(value)))
    }

    /// The current value. Setting it tells every observer, even if the new value equals the old.
    public var value: Value {
        get { state.withLock { $0.snapshot(of: Value.self) }.value }
        set {
            let snapshot = Snapshot(newValue)
            announce(state.withLock { $0.set(snapshot, by: .current) })
        }
    }

    /// Changes the value in one step, which no other change can come between, and tells the observers once.
    ///
    /// ```swift
    /// count.withValue { $0 += 1 }
    /// ```
    ///
    /// A collection is changed in place: `withValue { $0.append(element) }` does not copy it, unless its content is held
    /// elsewhere, by calls that wait or by whoever read it; or somebody observes with `distinct`; or the closure can throw.
    ///
    /// - Parameter body: must not use this variable, other than through its parameter: neither itself nor in the `deinit` of
    ///   something that it lets go. If it throws, nothing has changed.
    /// - Returns: what the closure returns.
    public func withValue<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // Released when the lock is free again: a copy that a closure has thrown away.
        var changed: Snapshot<Value>?
        defer { withExtendedLifetime(changed) {} }
        let (result, turn) = try state.withLock { state throws(Failure) in
            if Failure.self == Never.self, distinctObservers.isEmpty,
                let change = try state.changeInPlace(body, by: .current)
            {
                return change
            }
            let new = Snapshot(state.snapshot(of: Value.self).value)
            changed = new
            let result = try new.change(body)
            return (result, state.set(new, by: .current))
        }
        announce(turn)
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
        let turn = state.withLock { state in
            beginning.set(state.version)
            return initial ? state.greet(registration, by: .current) : .other
        }
        announce(turn, to: registration)
        return registration
    }

    /// Announces, if it is the caller's turn, what has been set, and what is set meanwhile.
    @inline(__always)
    private func announce(_ turn: consuming ValueState.Turn, to registration: Registration<SoleKey>? = nil) {
        switch turn {
        case .now(let announcement):
            tell(announcement, to: registration)
            if !state.withLock({ $0.finish() }) { announceRest() }
        case .next: announceRest()
        case .other: break
        }
    }

    private func announceRest() {
        while true {
            switch state.withLock({ $0.proceed(now: .now) }) {
            case .announce(let message): tell(message.announcement, to: message.to)
            case .handOver:
                // Detached, or observers would see the task-local values of this setter while they hear of others' settings.
                _ = Task.detached {
                    if self.state.withLock({ $0.takeOver(by: .current) }) { self.announceRest() }
                }
                return
            case .stop: return
            }
        }
    }

    @inline(__always)
    private func tell(_ announcement: Announcement, to registration: Registration<SoleKey>?) {
        if let registration {
            table.notify(registration, announcement)
        } else {
            table.notify(SoleKey(), announcement)
        }
    }
}
