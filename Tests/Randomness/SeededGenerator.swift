/// SplitMix64: random numbers that come out the same in every run of a seed.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Text of any characters but NUL, which no target can hold.
    package mutating func text(upTo length: Int) -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...length, using: &self) {
            let limits: [UInt32] = [0x7F, 0x7F, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF]
            let value = UInt32.random(in: 1...(limits.randomElement(using: &self) ?? 0x7F), using: &self)
            if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
        }
        return String(scalars)
    }
}

extension String {
    /// Escaped so that nothing in it delimits anything; now and then in lower case, as RFC 3986 allows.
    package func percentEncoded(using generator: inout SeededGenerator) -> String {
        utf8.map { byte in
            let isPlain = byte.isASCIILetterOrDigit && Bool.random(using: &generator)
            if isPlain { return String(decoding: [byte], as: UTF8.self) }
            let digits = String(byte, radix: 16, uppercase: Bool.random(using: &generator))
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
    }
}

extension UInt8 {
    fileprivate var isASCIILetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: false
        }
    }
}
