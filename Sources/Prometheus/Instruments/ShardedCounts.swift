import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Numbers that many threads add to at once, without a lock: each thread adds to a copy of its own as a rule, a cache
/// line away from those of the others, and whoever reads adds the copies up.
///
/// `@unchecked Sendable`: the cells are atomic, and are freed when nobody has this any more.
@safe
final class ShardedCounts: @unchecked Sendable {
    private let cells: UnsafeMutablePointer<Atomic<Int64>>
    private let count: Int
    /// From one copy to the next: whole cache lines.
    private let stride: Int

    /// How many copies there are, as a power of two: one for each processor, at most 16.
    private static let shift: Int = {
        let processors = min(max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1), 16)
        return Int.bitWidth - (processors - 1).leadingZeroBitCount
    }()

    private static let cacheLine = 64

    /// - Parameter count: how many numbers; each begins with 0.
    init(count: Int) {
        self.count = count
        let perLine = Self.cacheLine / MemoryLayout<Atomic<Int64>>.stride
        stride = (count + perLine - 1) / perLine * perLine
        let total = stride << Self.shift
        let bytes = UnsafeMutableRawPointer.allocate(
            byteCount: total * MemoryLayout<Atomic<Int64>>.stride,
            alignment: Self.cacheLine
        )
        unsafe cells = bytes.bindMemory(to: Atomic<Int64>.self, capacity: total)
        for index in 0..<total { unsafe (cells + index).initialize(to: Atomic(0)) }
    }

    deinit {
        unsafe cells.deinitialize(count: stride << Self.shift)
        unsafe UnsafeMutableRawPointer(cells).deallocate()
    }

    /// Adds to a number.
    func add(_ amount: Int64, to index: Int) {
        precondition(index < count)
        // Wrapping, for that is one instruction; 2⁶³ is not reached by counting.
        unsafe cells[Self.shard * stride + index].wrappingAdd(amount, ordering: .relaxed)
    }

    /// A number, as far as the additions are known here.
    subscript(index: Int) -> Int64 {
        precondition(index < count)
        return (0..<1 << Self.shift).reduce(0) {
            unsafe $0 &+ cells[$1 * stride + index].load(ordering: .relaxed)
        }
    }

    /// The copy of this thread: by a hash of its handle, which costs one load.
    private static var shard: Int {
        guard shift > 0 else { return 0 }
        #if canImport(Darwin)
            let thread = UInt(bitPattern: pthread_self())
        #else
            let thread = UInt(pthread_self())
        #endif
        return Int((UInt64(thread) &* 0x9E37_79B9_7F4A_7C15) >> UInt64(64 - shift))
    }
}
