/// An object seen through a type, such as `any SomeProtocol`, kept without owning it.
///
/// A handler gets its observer as a plain object and needs it as a `Subject`. `object as! Subject` looks the conformance
/// up at every call, some 150 ns, more than all the rest of a call. So this keeps the bits of the existential: the
/// reference, of which it is no owner, and the conformance.
///
/// Only where the reference is in the bits. It is not in `any Error`, which is a reference to a box that holds the
/// object: of the box nobody would be an owner. There the object is cast at every call.
@safe
final class UnretainedView<Subject: Sendable>: @unchecked Sendable {
    // Unchecked: written in `init` only, and what the bits stand for is Sendable.
    /// `nil` if they do not begin with the reference.
    private let bits: UnsafeMutablePointer<Loan<Subject>>?

    /// - Parameters:
    ///   - subject: an object, so that its bits are one reference, inline in the type of a class and in all existentials but
    ///     `any Error`, beside pointers to metadata, which live for ever.
    ///   - object: the object itself.
    init(_ subject: Subject, of object: AnyObject) {
        let reference = UInt(bitPattern: ObjectIdentifier(object))
        let isInline = unsafe withUnsafeBytes(of: subject) {
            unsafe $0.count >= MemoryLayout<UInt>.size && $0.load(as: UInt.self) == reference
        }
        guard isInline else {
            unsafe bits = nil
            return
        }
        // Copied as raw bytes and never destroyed as a `Subject`: the reference is neither retained nor released.
        let bits = UnsafeMutablePointer<Loan<Subject>>.allocate(capacity: 1)
        unsafe withUnsafePointer(to: subject) {
            unsafe UnsafeMutableRawPointer(bits).copyMemory(from: $0, byteCount: MemoryLayout<Subject>.size)
        }
        unsafe self.bits = bits
    }

    deinit { unsafe bits?.deallocate() }

    /// Lends the subject to a handler.
    ///
    /// - Parameter object: the object it was made of. That the caller holds it is what makes the bits valid.
    func lend<Value>(keptAliveBy object: AnyObject, to handler: (Subject, Value) -> Void, with value: Value) {
        if let bits = unsafe bits {
            unsafe hand(bits.pointee, to: handler, with: value)
            extendLifetime(object)
        } else {
            cast(object, to: handler, with: value)
        }
    }
}

/// Not inlined, or the types that only a cast needs would be looked up at every call: some 400 instructions.
@inline(never)
private func cast<Subject, Value>(_ object: AnyObject, to handler: (Subject, Value) -> Void, with value: Value) {
    if let subject = object as? Subject { handler(subject, value) }
}

/// Not inlined, or the compiler copies the subject before it passes it on.
@inline(never)
private func hand<Subject, Value>(
    _ loan: borrowing Loan<Subject>,
    to handler: (Subject, Value) -> Void,
    with value: Value
) {
    handler(loan.subject, value)
}
