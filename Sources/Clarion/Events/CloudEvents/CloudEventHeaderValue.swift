import MicroHTTP
import Notation

/// The values of `ce-` header fields (CloudEvents 1.0.2, HTTP protocol binding, section 3.1.3.2).
enum CloudEventHeaderValue {
    /// Percent-encodes the UTF-8 of all that is not printable ASCII, and of space, double quote and percent sign.
    static func encode(_ text: String) -> String { PercentEncoding.encode(text, but: .cloudEvents) }

    /// Undoes double quotes, of which older senders make use, and then percent-encoding, once.
    ///
    /// - Returns: nil if quotes are not closed, an escape is malformed, or the bytes are not UTF-8.
    static func decode(_ value: ArraySlice<UInt8>) -> String? {
        guard value.first == quote else { return PercentDecoding.decode(value) }
        return unquote(value).flatMap { PercentDecoding.decode($0) }
    }

    /// The content of a quoted-string (RFC 9110 section 5.6.4).
    private static func unquote(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var content: [UInt8] = []
        var rest = value.dropFirst()
        while let byte = rest.popFirst() {
            switch byte {
            case quote: return rest.isEmpty ? content : nil
            case backslash:
                guard let escaped = rest.popFirst() else { return nil }
                content.append(escaped)
            default: content.append(byte)
            }
        }
        return nil
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
}
