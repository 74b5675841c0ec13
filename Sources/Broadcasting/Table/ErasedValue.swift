/// A value whose type the table does not know, but whoever posts and hears does: by the key, or because all values of the
/// table are of one type. One object for all observers.
protocol ErasedValue: AnyObject, Sendable {}

/// Something to hear.
final class Box<Content: Sendable>: ErasedValue {
    let content: Content

    init(_ content: Content) { self.content = content }
}

/// A closure to be called with every observer. Not a `Box`, out of which a closure would be wrapped anew at every call.
final class SubjectCall<Subject>: ErasedValue {
    let body: @Sendable (Subject) -> Void

    init(_ body: @escaping @Sendable (Subject) -> Void) { self.body = body }
}

extension ErasedValue {
    /// This value, for who knows its type. A checked cast would look the generic class up at every call, and so
    /// would a call of this if it were not inlined: 25 ns.
    @inline(__always)
    func known<Value: ErasedValue>(as type: Value.Type) -> Value {
        unsafe unsafeDowncast(self, to: type)
    }
}
