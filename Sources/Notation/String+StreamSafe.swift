extension String {
    /// How many combining marks may follow one another: more than any language or notation needs.
    package static let mostMarks = 30

    /// How many bytes may be marks alone: a topic has up to 255 bytes, of whatever characters.
    package static let mostMixedBytes = 256

    /// What is wrong with text that is not stream-safe, as the rest of a sentence about it.
    package static let marksPredicate = "has more than \(mostMarks) combining marks in a row"

    /// Whether it is in Stream-Safe Text Format (<https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format>).
    ///
    /// Strings are compared and hashed by their normal form, for which marks that follow one another are sorted, in time that
    /// grows with the square of their number: 240,000 of them, half a megabyte, take a minute. So a stranger's text is looked at
    /// before it is compared with anything, or is the key of a dictionary.
    package var isStreamSafe: Bool {
        // Each takes two bytes or more.
        guard utf8.count > 2 * Self.mostMarks else { return true }
        // Unsafe, and only read here: bytes that are joined without a check each are looked at many at a time.
        if unsafe utf8.withContiguousStorageIfAvailable({ unsafe $0.reduce(0, |) < 0x80 }) == true { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.mostMarks { return false }
        }
        return true
    }

    /// Whether it is stream-safe, or so short that it takes no time whatever it is: what names of others may be.
    package var isQuickToCompare: Bool { utf8.count <= Self.mostMixedBytes || isStreamSafe }
}
