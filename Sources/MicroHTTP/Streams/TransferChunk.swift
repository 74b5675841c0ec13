import Notation

/// The chunk of the chunked transfer coding (RFC 9112 section 7.1) that a stream's writer is in the middle of: its size
/// in hexadecimal and a line break, its data, a line break. A value without I/O.
///
/// What one gathered write sends is one chunk, so that a client which reads chunk by chunk sees each event at once. A
/// write that was cut short goes on inside the chunk it began.
struct TransferChunk {
    /// The longest head: 16 digits and a line break.
    static let longestHead = 18
    /// The line break that ends a chunk.
    static let tail: (UInt8, UInt8) = (0x0D, 0x0A)

    /// The size of the data in bytes; 0 if no chunk is under way.
    private(set) var size = 0
    /// What was written of head, data and tail together.
    private var written = 0

    /// Begins a chunk, unless one is under way.
    mutating func begin(size: Int) {
        if self.size == 0 { self.size = size }
    }

    /// Writes what is left of the head to the start of a buffer of ``longestHead`` bytes. Returns how many bytes that is.
    func writeHead(to buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = headLength
        var index = 0
        for place in written..<max(written, length) {
            let byte: UInt8
            if place < length - 2 {
                let digit = UInt8(truncatingIfNeeded: size >> (4 * (length - 3 - place)) & 15)
                byte = UInt8(hexDigitOf: digit)
            } else {
                byte = place == length - 2 ? Self.tail.0 : Self.tail.1
            }
            unsafe buffer[index] = byte
            index += 1
        }
        return index
    }

    /// How much of the data is left to write.
    var dataLeft: Int { size - dataWritten }

    /// How much of the tail is left to write.
    var tailLeft: Int { min(2, headLength + size + 2 - written) }

    /// Takes note of what was written. Returns how much of it was data.
    mutating func wrote(_ count: Int) -> Int {
        let before = dataWritten
        written += count
        let data = dataWritten - before
        if written == headLength + size + 2 { self = TransferChunk() }
        return data
    }

    private var dataWritten: Int { min(size, max(0, written - headLength)) }

    private var headLength: Int { (Int.bitWidth - size.leadingZeroBitCount + 3) / 4 + 2 }
}
