/// Allocates objects until one lies at an address that has just become free. Those that do not stay alive meanwhile, so that the
/// allocator has to come round to that address.
///
/// Nothing else is allocated between them: a growing array would have the allocator join free blocks, and might itself
/// come to lie where the object is looked for. The buffer that holds them is mapped for itself, as malloc does above 32 MiB.
func object<Object: AnyObject>(at address: ObjectIdentifier, _ make: () -> Object) -> Object? {
    let others = UnsafeMutableBufferPointer<Object>.allocate(capacity: 8_000_000)
    var count = 0
    defer {
        unsafe others[..<count].deinitialize()
        unsafe others.deallocate()
    }
    while count < 1_000_000 {
        let object = make()
        if ObjectIdentifier(object) == address { return object }
        unsafe others.initializeElement(at: count, to: object)
        count += 1
    }
    return nil
}
