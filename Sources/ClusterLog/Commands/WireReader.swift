/// Reads what a ``WireWriter`` wrote. Whatever the bytes are, it throws rather than read beyond them.
struct WireReader {
    /// The bytes are no command that this version knows.
    struct Unreadable: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() throws(Unreadable) -> UInt8 {
        guard let byte = rest.popFirst() else { throw Unreadable() }
        return byte
    }

    mutating func flag() throws(Unreadable) -> Bool { try byte() != 0 }

    mutating func unsigned() throws(Unreadable) -> UInt64 {
        guard rest.count >= 8 else { throw Unreadable() }
        defer { rest = rest.dropFirst(8) }
        return rest.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }

    mutating func number() throws(Unreadable) -> Int64 { Int64(bitPattern: try unsigned()) }

    mutating func data() throws(Unreadable) -> [UInt8] {
        let count = try number()
        guard count >= 0, count <= rest.count else { throw Unreadable() }
        defer { rest = rest.dropFirst(Int(count)) }
        return Array(rest.prefix(Int(count)))
    }

    mutating func text() throws(Unreadable) -> String {
        guard let text = String(validating: try data(), as: UTF8.self) else { throw Unreadable() }
        return text
    }

    mutating func optionalText() throws(Unreadable) -> String? { try flag() ? text() : nil }
    mutating func optionalNumber() throws(Unreadable) -> Int64? { try flag() ? number() : nil }
    mutating func optionalData() throws(Unreadable) -> [UInt8]? { try flag() ? data() : nil }

    mutating func all<Element>(
        _ read: (inout WireReader) throws(Unreadable) -> Element
    ) throws(Unreadable) -> [Element] {
        let count = try number()
        // Each takes a byte at least.
        guard count >= 0, count <= rest.count else { throw Unreadable() }
        var elements: [Element] = []
        for _ in 0..<count { elements.append(try read(&self)) }
        return elements
    }
}
