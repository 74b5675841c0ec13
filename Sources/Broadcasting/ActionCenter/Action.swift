/// Names what happened, by a case of an enum.
///
/// ```swift
/// enum AppAction: Action { case colorChanged, textChanged, imageChanged }
/// ```
///
/// Actions of two types are never the same action, and none is the same as a name, whatever their raw values. They are
/// hashed, compared and released while no lock is held, so they may do there what they like.
public protocol Action: Hashable, Sendable {}
