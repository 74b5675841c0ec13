/// What the observers of a value are told: a setting, or the greeting of a new observer.
///
/// It does not know the type of the value, so that all that orders and delivers announcements is compiled once, and not
/// for a type that is looked up at run time.
struct Announcement: Sendable {
    /// Counts the settings.
    let version: UInt64
    /// What the value has become; a `Box` of the value's type.
    let current: any ErasedValue
    /// What it was before, a `Box`, too; `nil` in a greeting.
    let previous: (any ErasedValue)?

    var isGreeting: Bool { previous == nil }

    /// What the value has become, for who knows its type.
    @inline(__always)
    func value<Value: Sendable>(as type: Value.Type) -> Value {
        current.known(as: Box<Value>.self).content
    }

    /// Whether it is worth hearing for who wants distinct values only.
    func isNews<Value: Equatable & Sendable>(to type: Value.Type) -> Bool {
        guard let previous else { return true }
        return previous.known(as: Box<Value>.self).content != current.known(as: Box<Value>.self).content
    }
}
