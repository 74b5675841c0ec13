/// What the observers of a value are told: a setting, or the greeting of a new observer.
///
/// It does not know the type of the value, so that all that orders and delivers announcements is compiled once, and not
/// for a type that is looked up at run time.
struct Announcement: Sendable {
    /// Counts the settings.
    let version: UInt64
    /// What the value has become; a `Snapshot` of the value's type.
    let current: any ErasedValue
    /// What it was before, a `Snapshot`, too; `nil` in a greeting, and where nobody compares.
    var previous: (any ErasedValue)?
    var isGreeting = false

    /// Tells a handler what the value has become, for who knows its type.
    @inline(__always)
    func tell<Value: Sendable>(_ handler: (Value) -> Void) {
        current.known(as: Snapshot<Value>.self).lend(to: handler)
    }

    /// Whether it is worth hearing for who wants distinct values only.
    func isNews<Value: Equatable & Sendable>(to type: Value.Type) -> Bool {
        guard let previous else { return true }
        var isNews = true
        previous.known(as: Snapshot<Value>.self).lend { previous in
            current.known(as: Snapshot<Value>.self).lend { isNews = previous != $0 }
        }
        return isNews
    }
}
