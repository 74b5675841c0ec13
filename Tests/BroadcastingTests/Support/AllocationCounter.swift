#if os(Linux)
    import Glibc

    /// Counts the objects that the calling thread allocates, through the hook that the Swift runtime has for instruments.
    ///
    /// Closures, boxes of existentials and buffers of arrays are objects, too, so this sees every allocation that Swift
    /// code makes without asking for raw memory.
    ///
    /// For exit tests only: with the hook on, the runtime also counts references to what is not on the heap, such as
    /// literals of strings, in the whole process.
    enum AllocationCounter {
        /// How many objects `body` allocates.
        static func allocations(in body: () -> Void) -> Int {
            let isEnabled = unsafe variable(
                "_swift_enableSwizzlingOfAllocationAndRefCountingFunctions_forInstrumentsOnly",
                Bool.self
            )
            let allocate = unsafe variable("_swift_allocObject", Allocate.self)
            unsafe original = allocate.pointee
            unsafe thread = pthread_self()
            unsafe count = 0
            unsafe allocate.pointee = countingAllocate
            unsafe isEnabled.pointee = true
            body()
            unsafe isEnabled.pointee = false
            unsafe allocate.pointee = original!
            return unsafe count
        }

        /// A variable of the runtime. Names and types are those of its `HeapObject.cpp`.
        private static func variable<Variable>(_ name: String, _: Variable.Type) -> UnsafeMutablePointer<Variable> {
            unsafe dlsym(nil, name)!.assumingMemoryBound(to: Variable.self)
        }
    }

    private typealias Allocate = @convention(c) (UnsafeRawPointer?, Int, Int) -> UnsafeMutableRawPointer?

    // Unsafe: one exit test has the process to itself; `count` is touched only by the thread that counts.
    nonisolated(unsafe) private var original: Allocate?
    nonisolated(unsafe) private var thread = pthread_t()
    nonisolated(unsafe) private var count = 0

    private func countingAllocate(
        _ metadata: UnsafeRawPointer?,
        _ size: Int,
        _ alignment: Int
    ) -> UnsafeMutableRawPointer? {
        if unsafe pthread_self() == thread { unsafe count += 1 }
        return unsafe original!(metadata, size, alignment)
    }
#endif
