import Notation

extension JSONValue {
    /// The document as text, with the members of objects in the order of their names' bytes, so that equal values give equal
    /// bytes. Without a coder, made anew for each: a batch has ten thousand of these.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(256)
        write(to: &bytes)
        return bytes
    }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): Self.write(value, to: &bytes)
        case .string(let text): text.writeJSON(to: &bytes)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            for (index, (name, value)) in sorted.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                name.writeJSON(to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ number: Double, to bytes: inout [UInt8]) {
        // Whole numbers without a fraction, as people write them.
        if let whole = Int64(exactly: number) {
            bytes.append(contentsOf: String(whole).utf8)
        } else {
            // Those of JSON are finite; JSON has no word for others.
            bytes.append(contentsOf: (number.isFinite ? "\(number)" : "null").utf8)
        }
    }
}
