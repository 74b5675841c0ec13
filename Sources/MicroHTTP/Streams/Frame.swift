/// Immutable bytes at a fixed address, encoded once and shared by every stream that sends them.
///
/// `@unchecked Sendable`: the bytes are written before the initialiser returns and only read afterwards.
@safe
public final class Frame: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    /// Copies the bytes.
    public init(_ contents: some Collection<UInt8>) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: contents.count, alignment: 1)
        unsafe copy.copyBytes(from: contents)
        unsafe bytes = UnsafeRawBufferPointer(copy)
    }

    deinit {
        unsafe bytes.deallocate()
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
}

/// A part of a ``Frame``.
public struct Chunk: Sendable {
    let frame: Frame
    let range: Range<Int>

    /// How many bytes it has.
    public var count: Int { range.count }
}
