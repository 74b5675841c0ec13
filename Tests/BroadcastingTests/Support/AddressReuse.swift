/// Allocates objects until one lies at an address that has just become free. Those that do not stay alive meanwhile, so that the
/// allocator has to come round to that address.
func object<Object: AnyObject>(at address: ObjectIdentifier, _ make: () -> Object) -> Object? {
    var others: [Object] = []
    for _ in 0..<1_000_000 {
        let object = make()
        if ObjectIdentifier(object) == address { return object }
        others.append(object)
    }
    return nil
}
