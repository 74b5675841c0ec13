import Notation

/// Where something stands in a trace, as the header `traceparent` carries it (W3C Trace Context, section 3.2).
package struct Traceparent: Hashable, Sendable, CustomStringConvertible {
    /// The trace: 32 lower-case hexadecimal digits, not all of them 0.
    package let traceID: String

    /// What came before in it: 16 lower-case hexadecimal digits, not all of them 0.
    package private(set) var parentID: String

    /// Whether whoever made it records the trace.
    package let isSampled: Bool

    /// Reads a header's value, of version 00 or what later versions have in common with it.
    ///
    /// - Returns: nil if it is not valid; then it is to be ignored.
    package init?(_ text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 4, omittingEmptySubsequences: false)
        // A later version may go on after another hyphen.
        guard parts.prefix(4).map(\.count) == [2, 32, 16, 2],
            parts.prefix(4).joined().allSatisfy({ $0.hexDigitValue != nil && $0.asciiLowercased == $0 }),
            !parts[0].elementsEqual("ff".utf8), !parts[0].elementsEqual("00".utf8) || parts.count == 4,
            parts[1...2].allSatisfy({ $0.contains { $0 != UInt8(ascii: "0") } })
        else { return nil }
        traceID = String(Substring(parts[1]))
        parentID = String(Substring(parts[2]))
        isSampled = (Int(Substring(parts[3]), radix: 16) ?? 0) & 1 == 1
    }

    /// The header's value, of version 00.
    package var description: String { "00-\(traceID)-\(parentID)-\(isSampled ? "01" : "00")" }

    /// A step of one's own in the same trace, with a random id.
    package func child() -> Traceparent {
        var child = self
        child.parentID = String(hexadecimal: UInt64.random(in: 1 ... .max))
        return child
    }
}
