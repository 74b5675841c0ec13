/// Immutable bytes at a fixed address, encoded once and shared by every stream that sends them.
///
/// `@unchecked Sendable`: the bytes are written before the initialiser returns and only read afterwards.
@safe
public final class Frame: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    private let memory: ReaderMemory?

    /// What a frame takes beside its bytes: two allocations.
    private static let overhead = 96

    /// Copies the bytes.
    ///
    /// - Parameter memory: the budget in which they count for as long as the frame lives.
    public init(_ contents: some Collection<UInt8>, in memory: ReaderMemory? = nil) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 1)
        unsafe copy.copyBytes(from: contents)
        unsafe bytes = UnsafeRawBufferPointer(copy)
        self.memory = memory
        memory?.add(unsafe bytes.count + Self.overhead)
    }

    deinit {
        let count = unsafe bytes.count
        unsafe bytes.deallocate()
        memory?.remove(count + Self.overhead)
    }

    /// How many bytes there are.
    public var count: Int { unsafe bytes.count }

    /// All of it.
    public var whole: Chunk { Chunk(frame: self, range: 0..<count) }

    /// A part of it.
    ///
    /// - Precondition: the range lies within the frame.
    public subscript(range: Range<Int>) -> Chunk {
        precondition(range.lowerBound >= 0 && range.upperBound <= count)
        return Chunk(frame: self, range: range)
    }

    /// A part of it as a chunk that keeps little more than its own bytes alive: of a small part a copy.
    public func part(_ range: Range<Int>) -> Chunk {
        let slice = self[range]
        guard 2 * slice.count < count else { return slice }
        return unsafe Frame(UnsafeRawBufferPointer(rebasing: bytes[range]), in: memory).whole
    }
}

/// A part of a ``Frame``.
public struct Chunk: Sendable {
    let frame: Frame
    let range: Range<Int>

    /// How many bytes it has.
    public var count: Int { range.count }
}
