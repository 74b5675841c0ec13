/// Names what happened, by a case of an enum.
///
/// ```swift
/// enum AppAction: Action { case colorChanged, textChanged, imageChanged }
/// ```
///
/// Actions of two types are never the same action, and none is the same as a name, whatever their raw values. Comparing
/// and hashing must not use the centre: it happens while the centre's table is locked.
public protocol Action: Hashable, Sendable {}
