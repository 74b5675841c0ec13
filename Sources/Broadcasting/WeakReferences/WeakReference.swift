/// A reference that does not keep its object alive, usable as an element of sets and as a key.
///
/// ```swift
/// let reference = WeakReference(view)
/// reference.object?.refresh()
/// ```
public struct WeakReference<Object: AnyObject> {
    /// The object, `nil` once it is gone. It never comes back.
    public var object: Object? { reference?.load() }

    /// Keeps the address from being used again; `nil` if it was made in the object's `deinit`.
    private let reference: WeakOwner<Object>?
    private let address: ObjectIdentifier

    /// A reference to an object, which gains no owner by it. Made in the object's `deinit` it refers to nothing.
    public init(_ object: Object) {
        reference = isEnding(object) ? nil : WeakOwner(object)
        address = ObjectIdentifier(object)
    }
}

extension WeakReference: Hashable {
    /// References are equal when they refer, or referred, to the same object.
    ///
    /// What they say of each other never changes: as long as there is a reference to an object no other object is at its
    /// address. Only on Apple's systems another may be, once the object is gone: then references to both are equal when the
    /// other is gone, too.
    public static func == (left: WeakReference, right: WeakReference) -> Bool {
        guard left.address == right.address, (left.reference == nil) == (right.reference == nil) else { return false }
        #if canImport(ObjectiveC)
            return left.object === right.object
        #else
            return true
        #endif
    }

    /// Hashes the address, which stays the same when the object goes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(address)
    }
}

extension WeakReference: Sendable where Object: Sendable {}
