/// Writes one flat JSON object (RFC 8259), byte by byte and in the order given: what error bodies and hot paths need,
/// without a coder's allocations.
public struct JSONText: Sendable {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// An object without members.
    public init() {}

    /// The finished object.
    public var object: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Appends a string member.
    public mutating func member(_ name: String, _ value: String) {
        key(name)
        Self.append(value, to: &bytes)
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
    public static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case UInt8(ascii: "\r"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case UInt8(ascii: "\t"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0..<0x20:
                let digits = Array("0123456789abcdef".utf8)
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(digits[Int(byte >> 4)])
                bytes.append(digits[Int(byte & 15)])
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

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
