import Notation

/// Writes one flat JSON object (RFC 8259), byte by byte and in the order given: what error bodies and hot paths need,
/// without a coder's allocations.
public struct JSONText: Sendable {
    private var bytes: [UInt8] = []

    /// An object without members.
    public init() {
        // Enough for a receipt, with its end and a line break after it.
        bytes.reserveCapacity(256)
        bytes.append(UInt8(ascii: "{"))
    }

    /// The finished object.
    public consuming func object() -> [UInt8] {
        bytes.append(UInt8(ascii: "}"))
        return bytes
    }

    /// Appends a string member.
    public mutating func member(_ name: String, _ value: String) {
        key(name)
        Self.append(value, to: &bytes)
    }

    /// Appends a string member, or null.
    public mutating func member(_ name: String, _ value: String?) {
        guard let value else { return member(name, json: "null".utf8) }
        member(name, value)
    }

    /// Appends a string member whose bytes a closure appends: ASCII that needs no escape.
    public mutating func member(_ name: String, ascii write: (inout [UInt8]) -> Void) {
        key(name)
        bytes.append(UInt8(ascii: "\""))
        write(&bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends a number.
    public mutating func member(_ name: String, _ value: Int) {
        key(name)
        bytes.append(contentsOf: String(value).utf8)
    }

    /// Appends a member whose value is JSON already.
    public mutating func member(_ name: String, json: some Sequence<UInt8>) {
        key(name)
        bytes.append(contentsOf: json)
    }

    private mutating func key(_ name: String) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        Self.append(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }

    /// Appends a JSON string: quotes, and escapes for what RFC 8259 section 7 forbids unescaped.
    public static func append(_ text: String, to bytes: inout [UInt8]) { text.writeJSON(to: &bytes) }

    /// How many bytes ``append(_:to:)`` appends for text of that UTF-8, without its quotes.
    public static func size(of text: [UInt8]) -> Int {
        var size = text.count
        for byte in text where byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"):
                size += 1
            default: size += 5
            }
        }
        return size
    }
}
