import Notation

/// The identity of one log: 60 random bits, drawn when the log is made and kept in it. Event ids carry it, so an id
/// of another log is recognised as unknown instead of being misread.
public struct LogEpoch: Hashable, Sendable, CustomStringConvertible {
    /// Below 2⁶⁰.
    let bits: UInt64

    /// How many characters its text has, five bits each.
    static let length = 12

    /// Crockford's digits in lower case: no letter looks like a digit, and none needs escaping anywhere.
    private static let digits = Array("0123456789abcdefghjkmnpqrstvwxyz".utf8)

    init(bits: UInt64) { self.bits = bits & (1 << 60 - 1) }

    /// The epoch of a new log.
    package static func random() -> LogEpoch { LogEpoch(bits: .random(in: 0..<1 << 60)) }

    /// Reads the twelve characters of ``description``; nil for any other text.
    public init?(_ text: some StringProtocol) {
        guard text.utf8.count == LogEpoch.length else { return nil }
        var bits: UInt64 = 0
        for digit in text.utf8 {
            guard let value = LogEpoch.digits.firstIndex(of: digit) else { return nil }
            bits = bits << 5 | UInt64(value)
        }
        self.init(bits: bits)
    }

    /// Twelve characters of `[0-9a-z]`.
    public var description: String {
        var text = ShortText()
        write(to: &text)
        return text.string
    }

    /// Appends the text of ``description``.
    func write(to text: inout ShortText) {
        let digits = LogEpoch.digits
        for shift in stride(from: 55, through: 0, by: -5) {
            text.append(digits[Int(bits >> UInt64(shift) & 31)])
        }
    }
}
