/// Percent-decoding (RFC 3986 section 2.1): of request targets once, after they were split at their delimiters, and of
/// header values whose definition says so.
package enum PercentDecoding {
    /// The decoded text, or nil if an escape is malformed or the bytes are not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as in `application/x-www-form-urlencoded`.
    package static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool = false) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            var byte = bytes[index]
            bytes.formIndex(after: &index)
            if byte == UInt8(ascii: "%") {
                guard let high = nextHexDigit(in: bytes, at: &index), let low = nextHexDigit(in: bytes, at: &index)
                else { return nil }
                byte = high << 4 | low
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            decoded.append(byte)
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func nextHexDigit<Bytes: Collection<UInt8>>(in bytes: Bytes, at index: inout Bytes.Index) -> UInt8? {
        guard index != bytes.endIndex else { return nil }
        defer { bytes.formIndex(after: &index) }
        switch bytes[index] {
        case let digit where (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit): return digit - UInt8(ascii: "0")
        case let digit where (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(digit):
            return digit - UInt8(ascii: "a") + 10
        case let digit where (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit):
            return digit - UInt8(ascii: "A") + 10
        default: return nil
        }
    }
}
