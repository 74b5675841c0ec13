/// An action that something is registered for. It leaves its directory when the last key goes.
final class ListedAction: Sendable {
    let hash: Int
    /// Tells actions of one hash from each other.
    let rank: Int
    private let action: any Action
    private let directory: ActionDirectory

    init(_ action: some Action, hash: Int, rank: Int, in directory: ActionDirectory) {
        self.hash = hash
        self.rank = rank
        self.action = action
        self.directory = directory
    }

    deinit { directory.remove(self) }

    /// Whether this is the same action: of the same type, and equal. Runs a stranger's code.
    func isSame(as other: some Action) -> Bool {
        // One type of value, or two objects of one class: either way the right one's bits are a `Left`.
        func isEqual<Left: Action, Right: Action>(_ left: Left, _ right: Right) -> Bool {
            unsafe left == unsafeBitCast(right, to: Left.self)
        }
        return type(of: action) == type(of: other) && isEqual(action, other)
    }

    /// The hash of an action and its type, for `AnyHashable` would take two numbers of different types for one. Runs a
    /// stranger's code.
    static func hash(of action: some Action) -> Int {
        var hasher = Hasher()
        hasher.combine(ObjectIdentifier(type(of: action)))
        action.hash(into: &hasher)
        return hasher.finalize()
    }
}
