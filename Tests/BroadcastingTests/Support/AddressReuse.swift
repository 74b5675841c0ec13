/// Makes a class's objects of a size that few others have. malloc keeps what a thread frees by size and mostly hands out
/// the last first, so that the next object of the class lies where the last one was.
///
/// Source: the thread cache of glibc's malloc (seven blocks for each size up to 1,032 bytes, never joined).
struct SizeOfItsOwn: Sendable {
    private let filler = InlineArray<117, UInt64>(repeating: 0)
}

/// Allocates objects until one lies at an address that has just become free. Those that do not stay alive meanwhile.
///
/// The class has a `SizeOfItsOwn`. Still the allocator may have joined the block to its neighbours: `whenReused` tries again.
func object<Object: AnyObject>(at address: ObjectIdentifier, _ make: () -> Object) throws(NotReused) -> Object {
    var others: [Object] = []
    for _ in 0..<1_000 {
        let object = make()
        if ObjectIdentifier(object) == address { return object }
        others.append(object)
    }
    throw NotReused()
}

/// The allocator gave an address to nobody.
struct NotReused: Error {}

/// Runs a test of what happens at an address that is used again, until the allocator has done so. One run in twenty it
/// does not, where other tests run beside it.
func whenReused(_ test: () throws -> Void) throws {
    for _ in 0..<100 {
        do { return try test() } catch is NotReused {}
    }
    throw NotReused()
}
