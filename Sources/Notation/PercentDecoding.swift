/// Percent-decoding (RFC 3986 section 2.1): of request targets once, after they were split at their delimiters, and of
/// header values whose definition says so.
package enum PercentDecoding {
    /// The decoded text, or nil if an escape is malformed or the bytes are not UTF-8.
    ///
    /// - Parameter plusIsSpace: whether `+` stands for a space, as in `application/x-www-form-urlencoded`.
    package static func decode(_ bytes: [UInt8], plusIsSpace: Bool = false) -> String? {
        decode(bytes[...], plusIsSpace: plusIsSpace)
    }

    /// The same of a part: of each segment of every target.
    package static func decode(_ bytes: ArraySlice<UInt8>, plusIsSpace: Bool = false) -> String? {
        // Most need none, and then there is nothing to copy.
        let isPlain = bytes.allSatisfy { $0 != UInt8(ascii: "%") && !(plusIsSpace && $0 == UInt8(ascii: "+")) }
        if isPlain { return String(utf8: bytes) }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var rest = bytes
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard let high = rest.popFirst()?.hexDigitValue, let low = rest.popFirst()?.hexDigitValue else {
                    return nil
                }
                byte = high << 4 | low
            } else if plusIsSpace, byte == UInt8(ascii: "+") {
                byte = UInt8(ascii: " ")
            }
            decoded.append(byte)
        }
        return String(utf8: decoded[...])
    }
}
