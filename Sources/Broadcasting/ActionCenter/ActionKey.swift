/// What a block is registered for: a name or an action, in two name spaces that never meet.
enum ActionKey: Hashable, Sendable {
    case name(String)
    case action(AnyAction)

    init(_ action: some Action) { self = .action(AnyAction(action)) }
}

/// An action of any type. `AnyHashable` would take two numbers of different types for one.
struct AnyAction: Hashable, Sendable {
    private let action: any Action
    private let type: ObjectIdentifier

    init(_ action: some Action) {
        self.action = action
        type = ObjectIdentifier(Swift.type(of: action))
    }

    static func == (left: AnyAction, right: AnyAction) -> Bool {
        // One type of value, or two objects of one class: either way the right one's bits are a `Left`.
        func isEqual<Left: Action, Right: Action>(_ left: Left, _ right: Right) -> Bool {
            unsafe left == unsafeBitCast(right, to: Left.self)
        }
        return left.type == right.type && isEqual(left.action, right.action)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(type)
        action.hash(into: &hasher)
    }
}
