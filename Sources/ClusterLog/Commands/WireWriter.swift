/// Writes the parts of a command one after the other: numbers of eight bytes, texts and bytes with their length before.
struct WireWriter {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ byte: UInt8) { bytes.append(byte) }

    mutating func flag(_ flag: Bool) { bytes.append(flag ? 1 : 0) }

    mutating func unsigned(_ number: UInt64) {
        for shift in stride(from: 56, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(shift)))
        }
    }

    mutating func number(_ number: Int64) { unsigned(UInt64(bitPattern: number)) }

    mutating func data(_ data: [UInt8]) {
        number(Int64(data.count))
        bytes.append(contentsOf: data)
    }

    mutating func text(_ text: String) {
        number(Int64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    mutating func optionalText(_ text: String?) {
        flag(text != nil)
        if let text { self.text(text) }
    }

    mutating func optionalNumber(_ number: Int64?) {
        flag(number != nil)
        if let number { self.number(number) }
    }

    mutating func optionalData(_ data: [UInt8]?) {
        flag(data != nil)
        if let data { self.data(data) }
    }

    mutating func all<Element>(_ elements: [Element], _ write: (inout WireWriter, Element) -> Void) {
        number(Int64(elements.count))
        for element in elements { write(&self, element) }
    }
}
