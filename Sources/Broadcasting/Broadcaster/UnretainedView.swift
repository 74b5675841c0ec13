/// An object seen through a type, such as `any SomeProtocol`, kept without owning it.
///
/// A handler gets its observer as a plain object and needs it as a `Subject`. `object as! Subject` looks the conformance
/// up at every call, some 150 ns, more than all the rest of a call. So this keeps the bits of the existential: the
/// reference, of which it is no owner, and the conformance.
@safe
final class UnretainedView<Subject: Sendable>: @unchecked Sendable {
    // Unchecked: written in `init` only, and what the bits stand for is Sendable.
    private let bits: UnsafeMutableRawPointer

    /// - Parameter subject: an instance of a class, so that its bits are one reference, which is inline in an existential
    ///   of any protocol, beside pointers to metadata, which live for ever.
    init(_ subject: Subject) {
        precondition(
            type(of: subject as Any) is AnyClass,
            "\(type(of: subject as Any)) is not a class: only an object can observe, for only an object can be released"
        )
        // Copied as raw bytes and never destroyed as a `Subject`: the reference is neither retained nor released.
        let size = MemoryLayout<Subject>.size
        unsafe bits = .allocate(byteCount: size, alignment: MemoryLayout<Subject>.alignment)
        unsafe withUnsafePointer(to: subject) { unsafe bits.copyMemory(from: $0, byteCount: size) }
    }

    deinit { unsafe bits.deallocate() }

    /// Lends the subject to a closure.
    ///
    /// - Parameter object: the object it was made of. That the caller holds it is what makes the bits valid.
    func lend(keptAliveBy object: AnyObject, to body: (Subject) -> Void) {
        withExtendedLifetime(object) {
            unsafe body(bits.assumingMemoryBound(to: Subject.self).pointee)
        }
    }
}
