/// Percent-encoding (RFC 3986 section 2.1) of the UTF-8 of texts.
///
/// ```swift
/// PercentEncoding.encode("a/b ü")                   // a%2Fb%20%C3%BC
/// PercentEncoding.encode("50 %\n", but: .fieldText)   // 50 %25%0A
/// ```
package enum PercentEncoding {
    /// The characters that are left as they are.
    package enum Plain {
        /// Letters, digits and `-._~`: in a segment of a path, or a name or value of a query, nothing else means anything
        /// else there.
        case unreserved

        /// All but control characters and `%`: in a field of a head, to be decoded again.
        case fieldText

        /// All but control characters, of which a line break would be another field: not to be decoded.
        case anyButControls

        /// What a token has (RFC 9110 section 5.6.2), `%` among it: not to be decoded.
        case token

        /// Printable ASCII but space, `"` and `%` (CloudEvents 1.0.2, HTTP protocol binding, section 3.1.3.2).
        case cloudEvents

        fileprivate func contains(_ byte: UInt8) -> Bool {
            let isControl = byte < 0x20 || byte == 0x7F
            switch self {
            case .unreserved: return byte.isLetter || byte.isDigit || "-._~".utf8.contains(byte)
            case .fieldText: return !isControl && byte != UInt8(ascii: "%")
            case .anyButControls: return !isControl
            case .token: return byte.isTokenCharacter
            case .cloudEvents: return byte > 0x20 && byte < 0x7F && !"\"%".utf8.contains(byte)
            }
        }
    }

    /// The text with all but those characters encoded.
    package static func encode(_ text: String, but plain: Plain = .unreserved) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        append(text, but: plain, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Adds what ``encode(_:but:)`` gives.
    package static func append(_ text: String, but plain: Plain, to bytes: inout [UInt8]) {
        var text = text
        // Not through the text's own view, which is slower: each delivery has a dozen fields.
        text.withUTF8 { text in
            // As a rule there is nothing to encode, which many bytes at a time are copied for.
            if unsafe text.allSatisfy({ plain.contains($0) }) { return unsafe bytes.append(contentsOf: text) }
            for place in text.indices {
                let byte = unsafe text[place]
                guard !plain.contains(byte) else {
                    bytes.append(byte)
                    continue
                }
                bytes.append(UInt8(ascii: "%"))
                bytes.append(UInt8(upperHexDigitOf: byte >> 4))
                bytes.append(UInt8(upperHexDigitOf: byte & 15))
            }
        }
    }
}
