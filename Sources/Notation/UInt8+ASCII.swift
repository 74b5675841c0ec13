extension Collection<UInt8> {
    /// Whether they are the bytes of a name in lower case; case does not matter. By bytes, as all of HTTP: Unicode's lower case
    /// of the sign for kelvins is a `k`. Inlinable, for each request is asked this.
    @inlinable
    package func isEqual(to name: String) -> Bool {
        count == name.utf8.count && lazy.map(\.asciiLowercased).elementsEqual(name.utf8)
    }
}

extension StringProtocol {
    /// The text with the letters `A` to `Z` in lower case, and nothing else changed.
    package var asciiLowercased: String { String(decoding: utf8.map(\.asciiLowercased), as: UTF8.self) }
}

/// Bytes as characters of ASCII. Inlinable: each byte of each request is asked some of these.
extension UInt8 {
    /// Whether it is one of `0` to `9`.
    @inlinable
    package var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }

    /// Whether it is one of `a` to `z` and `A` to `Z`.
    @inlinable
    package var isLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 }

    /// The letter in lower case if it is one of `A` to `Z`.
    @inlinable
    package var asciiLowercased: UInt8 { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self ? self | 0x20 : self }

    /// Whether it may stand in a token (RFC 9110 section 5.6.2).
    @inlinable
    package var isTokenCharacter: Bool { isLetter || isDigit || "!#$%&'*+-.^_`|~".utf8.contains(self) }

    /// The value of a hexadecimal digit in either case; nil of any other byte.
    @inlinable
    package var hexDigitValue: UInt8? {
        switch asciiLowercased {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): self - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): asciiLowercased - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    /// The hexadecimal digit, in lower case, of a value below 16.
    @inlinable
    package init(hexDigitOf value: UInt8) {
        self = value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    /// The same in upper case.
    @inlinable
    package init(upperHexDigitOf value: UInt8) {
        self = value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "A") - 10)
    }
}
