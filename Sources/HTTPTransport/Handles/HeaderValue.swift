/// Values of header fields that somebody else has chosen, such as the type of an event.
package enum HeaderValue {
    /// Appends a value. Its control bytes are percent-encoded: a line break there would be another field.
    ///
    /// - Parameter encodingPercent: whether `%` is too, so that the value can be decoded.
    package static func append(_ value: String, to bytes: inout [UInt8], encodingPercent: Bool) {
        for byte in value.utf8 {
            if byte < 0x20 || byte == 0x7F || (encodingPercent && byte == UInt8(ascii: "%")) {
                bytes.append(UInt8(ascii: "%"))
                bytes.append(contentsOf: String(byte >> 4, radix: 16, uppercase: true).utf8)
                bytes.append(contentsOf: String(byte & 15, radix: 16, uppercase: true).utf8)
            } else {
                bytes.append(byte)
            }
        }
    }

    /// A value that can be decoded: control bytes and `%` are percent-encoded.
    package static func encode(_ value: String) -> String {
        var bytes: [UInt8] = []
        append(value, to: &bytes, encodingPercent: true)
        return String(decoding: bytes, as: UTF8.self)
    }
}
