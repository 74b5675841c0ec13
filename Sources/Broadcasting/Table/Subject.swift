/// The object that a value is, whatever its static type: a class, or an existential of any kind.
///
/// - Returns: `nil` if it is none: a structure, an enumeration, a tuple, a function, a metatype, or an optional.
func object<Subject>(behind subject: Subject) -> (any AnyObject & Sendable)? {
    precondition(
        !isMisread(Subject.self),
        "\(Subject.self) is an error for classes only, which Swift's runtime takes for any Error: use another protocol"
    )
    guard type(of: subject as Any) is AnyClass else { return nil }
    // Not `as AnyObject`, which wraps an error. `Sendable` leaves no trace at run time, so the cast cannot fail for it.
    return (subject as! any AnyObject & Sendable)
}

/// Whether Swift's runtime reads a type otherwise than the compiler lays it out.
///
/// An existential of `Error` alone that is bound to classes, such as `any Error & AnyObject`, is a reference and a witness
/// table for the compiler, and the one reference to a box of `any Error` for the runtime of Swift 6.3. Generic code loses the
/// table when it copies one, and reads the object as a box when it casts it.
///
/// The layout of metadata is part of Swift's stable ABI (`docs/ABI/TypeMetadata.rst`, "Existential Type Metadata").
private func isMisread(_ type: Any.Type) -> Bool {
    let metadata = unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)
    let isExistential = unsafe metadata[0] == 0x303
    guard isExistential else { return false }
    let flags = unsafe metadata[1]
    // Bits 24 to 29 name a protocol that is special, 1 is Error; bit 31 is clear if only classes conform.
    return flags & 0xbf00_0000 == 0x0100_0000
}
