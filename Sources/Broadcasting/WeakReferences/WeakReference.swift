/// A reference that does not keep its object alive, usable as an element of sets and as a key.
///
/// ```swift
/// let reference = WeakReference(view)
/// reference.object?.refresh()
/// ```
public struct WeakReference<Object: AnyObject> {
    /// The object, `nil` once it is gone. It never comes back.
    public weak let object: Object?

    private let address: ObjectIdentifier

    /// A reference to an object, which gains no owner by it.
    public init(_ object: Object) {
        self.object = object
        address = ObjectIdentifier(object)
    }
}

extension WeakReference: Hashable {
    /// References are equal when they refer to the same object.
    ///
    /// The object decides, not its address: a reference to a dead object is never equal to one to a living object that
    /// was allocated at the same place. Two to dead objects cannot be told apart if their addresses were the same, and
    /// are equal.
    public static func == (left: WeakReference, right: WeakReference) -> Bool {
        left.address == right.address && left.object === right.object
    }

    /// Hashes the address, which stays the same when the object goes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(address)
    }
}

extension WeakReference: Sendable where Object: Sendable {}
