/// Actions with a payload: blocks bound to the life of their observers, chosen by an enum case or by a name.
///
/// ```swift
/// enum AppAction: Action { case colorChanged, textChanged, imageChanged }
///
/// ActionCenter.shared.on(AppAction.colorChanged, observer: self) { me, payload in me.apply(payload) }
/// ActionCenter.shared.send(AppAction.colorChanged, payload: ["hex": "#0af"])
/// ```
///
/// Names match exactly, and no name ever matches an action. There is one registration for each observer and action:
/// registering again replaces the block. Observers are held weakly: nobody has to unregister.
public final class ActionCenter: Sendable {
    /// The one for the whole process.
    public static let shared = ActionCenter()

    /// What an action carries.
    public typealias Payload = [String: any Sendable]

    let table = ObserverTable<ActionKey, Payload>()
    let actions = ActionDirectory()

    /// A centre of its own, whose observers hear nothing of any other.
    public init() {}

    /// Calls the blocks of an action, in order of registration, each where it wished to be called.
    ///
    /// Returns when those with `.immediate` delivery have been called and the calls of all others are handed over.
    public func send(_ action: some Action, payload: Payload = [:]) {
        let hash = ListedAction.hash(of: action)
        let isHeard = table.notify(.first(ofHash: hash), payload) { $0.action?.isSame(as: action) == true }
        if !isHeard, actions.hasCollisions, let key = actions.find(action, hash: hash) { table.notify(key, payload) }
    }

    /// Calls the blocks of a name, in order of registration, each where it wished to be called.
    public func send(_ name: String, payload: Payload = [:]) {
        table.notify(.name(name), payload)
    }

    /// Ends all registrations of an observer.
    public func remove(observer: AnyObject) {
        table.removeAll(ownedBy: observer)
    }

    /// Ends the registration of an observer for an action.
    public func remove(_ action: some Action, observer: AnyObject) {
        let hash = ListedAction.hash(of: action)
        if let key = actions.find(action, hash: hash) { table.removeAll(ownedBy: observer, from: key) }
    }

    /// Ends the registration of an observer for a name.
    public func remove(_ name: String, observer: AnyObject) {
        table.removeAll(ownedBy: observer, from: .name(name))
    }
}
