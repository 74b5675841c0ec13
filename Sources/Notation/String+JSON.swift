extension String {
    /// Appends it as a JSON string: quotes, and escapes for what RFC 8259 section 7 forbids unescaped.
    package func writeJSON(to bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        // Most text needs no escape.
        let isPlain = unsafe utf8.withContiguousStorageIfAvailable { text in
            guard unsafe text.allSatisfy({ $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) else {
                return false
            }
            unsafe bytes.append(contentsOf: text)
            return true
        }
        if isPlain == true { return }
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"):
                bytes.append(UInt8(ascii: "\\"))
                bytes.append(byte)
            case UInt8(ascii: "\n"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "n")])
            case UInt8(ascii: "\r"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "r")])
            case UInt8(ascii: "\t"): bytes.append(contentsOf: [UInt8(ascii: "\\"), UInt8(ascii: "t")])
            case 0..<0x20:
                bytes.append(contentsOf: "\\u00".utf8)
                bytes.append(UInt8(hexDigitOf: byte >> 4))
                bytes.append(UInt8(hexDigitOf: byte & 15))
            default: bytes.append(byte)
            }
        }
    }
}
