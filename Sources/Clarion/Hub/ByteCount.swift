import Notation

/// A number of bytes as people write it: `1048576`, `64KiB`, `1MiB`, `2GiB`, `1TiB`.
///
/// Decimal units are none of it: whether `1MB` means 1,000,000 bytes or 1,048,576, readers differ.
package struct ByteCount: Hashable, Sendable {
    /// The number, 0 or more.
    package let bytes: Int

    /// The units, largest first.
    private static let units = [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]

    /// So many bytes.
    package init(_ bytes: Int) {
        self.bytes = bytes
    }

    /// Reads a whole number, of bytes or with a unit, without blanks. Nil for any other text, and beyond `Int.max`.
    package init?(text: String) {
        let unit = Self.units.first { text.hasSuffix($0.0) }
        guard let number = Int(digits: text.dropLast(unit?.0.count ?? 0).utf8) else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: unit?.1 ?? 1)
        guard !overflow else { return nil }
        self.bytes = bytes
    }

    /// The text that ``init(text:)`` reads, in the largest unit that needs no fraction.
    package var text: String {
        guard bytes > 0, let unit = Self.units.first(where: { bytes.isMultiple(of: $0.1) }) else { return "\(bytes)" }
        return "\(bytes / unit.1)\(unit.0)"
    }
}
