import Randomness
import Testing

/// Looks for a case in which something does not hold, in many that are drawn by chance.
///
/// - Parameter body: returns what is wrong with the case, or nil.
func search(
    cases: UInt64 = 20_000,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ body: (inout SeededGenerator) -> String?
) {
    guard let fault = firstFault(cases: cases, body) else { return }
    Issue.record("\(fault)", sourceLocation: sourceLocation)
}

extension SeededGenerator {
    /// Digits alone: at the ends of the numbers that there are, or of any length.
    mutating func digits() -> String {
        switch number(0...3) {
        case 0: String(number(0...200_000))
        case 1:
            one(of: [
                "0", "00", "86400", "86401", "2147483647", "2147483648", "4294967296", "253402300799", "253402300800",
                "9007199254740991", "9007199254740992", "9223372036854775", "9223372036854776", "9223372036854775807",
                "9223372036854775808", "18446744073709551615", "18446744073709551616",
            ])
        default: (0..<number(1...40)).map { _ in String(number(0...9)) }.joined()
        }
    }

    /// A text with a few pieces put in, taken out or doubled.
    mutating func mutated(_ text: String) -> String {
        let odd = [
            "%", "%25", "-", "+", ".", " ", "\t", ",", ";", "0x", "１", "\u{301}", "\u{212A}", "\0", "GMT", "é", "\"",
            "*",
        ]
        var characters = Array(text)
        for _ in 0..<number(0...2) {
            let place = number(0...characters.count)
            switch number(0...2) {
            case 0: characters.insert(contentsOf: one(of: odd), at: place)
            case 1: characters.removeSubrange(place..<min(characters.count, place + number(0...4)))
            default: characters.insert(contentsOf: characters[place..<min(characters.count, place + 6)], at: place)
            }
        }
        return String(characters)
    }
}
