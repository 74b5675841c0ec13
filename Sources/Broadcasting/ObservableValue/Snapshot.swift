import Synchronization

/// What a variable is or was at one time.
///
/// Unchecked: it is changed only while nobody else refers to it.
final class Snapshot<Value: Sendable>: ErasedValue, @unchecked Sendable {
    // Not enforced at run time, which every call of an observer would pay for.
    @exclusivity(unchecked) private var content: Value

    /// What observers did with the value is visible to who changes it. Counting references sees to it, but the Thread
    /// Sanitizer does not see that; compare `Lock`.
    private let handOver = Atomic(false)
    /// The same for those who read it, who may be many at once: added to, so that none hides another.
    private let readings = Atomic(0)

    init(_ value: Value) { unsafe content = value }

    var value: Value {
        defer { readings.wrappingAdd(1, ordering: .releasing) }
        return unsafe content
    }

    /// Lends the value to a handler.
    @inline(__always)
    func lend(to handler: (Value) -> Void) {
        handler(unsafe content)
        handOver.store(true, ordering: .releasing)
    }

    /// Changes the value in place, so that a collection in it is not copied. The caller holds the only reference.
    func change<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        _ = handOver.load(ordering: .acquiring)
        _ = readings.load(ordering: .acquiring)
        return try unsafe body(&content)
    }
}
