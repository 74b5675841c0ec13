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
        let bytes = Array(text.utf8)
        // A later version may go on after another hyphen.
        guard bytes.count == 55 || (bytes.count > 55 && bytes[55] == UInt8(ascii: "-")),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") })
        else { return nil }
        let parts = [0..<2, 3..<35, 36..<52, 53..<55].map { bytes[$0] }
        guard parts.allSatisfy({ $0.allSatisfy(\.isLowerHexDigit) }) else { return nil }
        let (version, trace, parent) = (parts[0], parts[1], parts[2])
        guard !version.elementsEqual("ff".utf8), !version.elementsEqual("00".utf8) || bytes.count == 55 else {
            return nil
        }
        let zero = UInt8(ascii: "0")
        guard !trace.allSatisfy({ $0 == zero }), !parent.allSatisfy({ $0 == zero }) else { return nil }
        traceID = String(decoding: trace, as: UTF8.self)
        parentID = String(decoding: parent, as: UTF8.self)
        isSampled = (Int(String(decoding: parts[3], as: UTF8.self), radix: 16) ?? 0) & 1 == 1
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

extension UInt8 {
    fileprivate var isLowerHexDigit: Bool { isDigit || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(self) }
}
