/// What a block is registered for: a name or an action, in two name spaces that never meet.
///
/// The table hashes, compares and drops keys while it is locked, which must run no stranger's code. So an action is hashed
/// beforehand, and compared afterwards: keys of actions with one hash differ by their rank.
struct ActionKey: Hashable, Sendable {
    private enum Place: Hashable {
        case name(String)
        case action(hash: Int, rank: Int)
    }

    private let place: Place
    /// The action, in keys that registrations stand under. What looks for such a key has none.
    let action: ListedAction?

    static func name(_ name: String) -> ActionKey { ActionKey(place: .name(name), action: nil) }

    /// The key that actions of a hash have all but always.
    static func first(ofHash hash: Int) -> ActionKey {
        ActionKey(place: .action(hash: hash, rank: 0), action: nil)
    }

    static func action(_ action: ListedAction) -> ActionKey {
        ActionKey(place: .action(hash: action.hash, rank: action.rank), action: action)
    }

    private init(place: Place, action: ListedAction?) {
        self.place = place
        self.action = action
    }

    static func == (left: ActionKey, right: ActionKey) -> Bool { left.place == right.place }

    func hash(into hasher: inout Hasher) { hasher.combine(place) }
}
