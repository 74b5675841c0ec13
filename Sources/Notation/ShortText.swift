/// ASCII that is written digit by digit, of at most 32 characters, and then appended at once: ids and times are written for
/// every event, and an array's own `append` looks at its storage each time. Inlinable, so that it costs other modules no calls.
package struct ShortText {
    @usableFromInline var bytes = SIMD32<UInt8>()
    @usableFromInline var count = 0

    @inlinable
    package init() {}

    @inlinable
    package mutating func append(_ byte: UInt8) {
        bytes[count] = byte
        count += 1
    }

    /// Appends a number's decimal digits, padded with zeros to a width of at least `width`.
    @inlinable
    package mutating func appendDecimal(_ number: UInt64, width: Int = 1) {
        var digits = 1
        var rest = number / 10
        while rest > 0 {
            digits += 1
            rest /= 10
        }
        let end = count + max(digits, width)
        rest = number
        for place in stride(from: end - 1, through: count, by: -1) {
            bytes[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count = end
    }

    @inlinable
    package var string: String {
        // `unsafe`: the vector's own bytes, read while it is lent.
        unsafe withUnsafeBytes(of: bytes) { unsafe String(decoding: $0.prefix(count), as: UTF8.self) }
    }

    @inlinable
    package func write(to array: inout [UInt8]) {
        // `unsafe`: as above.
        unsafe withUnsafeBytes(of: bytes) { unsafe array.append(contentsOf: $0.prefix(count)) }
    }
}
