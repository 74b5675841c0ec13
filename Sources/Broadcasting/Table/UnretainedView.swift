/// An object seen through a type, such as `any SomeProtocol`, kept without owning it.
///
/// A handler gets its observer as a plain object and needs it as a `Subject`. `object as! Subject` looks the conformance
/// up at every call, some 150 ns, more than all the rest of a call. So this keeps the bits of the existential: the
/// reference, of which it is no owner, and the conformance.
@safe
final class UnretainedView<Subject: Sendable>: @unchecked Sendable {
    // Unchecked: written in `init` only, and what the bits stand for is Sendable.
    private let bits: UnsafeMutablePointer<Loan<Subject>>

    /// - Parameter subject: an instance of a class, so that its bits are one reference, which is inline in an existential
    ///   of any protocol, beside pointers to metadata, which live for ever.
    init(_ subject: Subject) {
        precondition(
            type(of: subject as Any) is AnyClass,
            "\(type(of: subject as Any)) is not a class: only an object can observe, for only an object can be released"
        )
        // Copied as raw bytes and never destroyed as a `Subject`: the reference is neither retained nor released.
        unsafe bits = .allocate(capacity: 1)
        unsafe withUnsafePointer(to: subject) {
            unsafe UnsafeMutableRawPointer(bits).copyMemory(from: $0, byteCount: MemoryLayout<Subject>.size)
        }
    }

    deinit { unsafe bits.deallocate() }

    /// Lends the subject to a handler.
    ///
    /// - Parameter object: the object it was made of. That the caller holds it is what makes the bits valid.
    func lend<Value>(keptAliveBy object: AnyObject, to handler: (Subject, Value) -> Void, with value: Value) {
        unsafe hand(bits.pointee, to: handler, with: value)
        extendLifetime(object)
    }
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
