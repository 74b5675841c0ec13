extension String {
    /// How many combining marks may follow one another: more than any language or notation needs.
    static let mostMarks = 30

    /// Whether it is in Stream-Safe Text Format (<https://www.unicode.org/reports/tr15/#Stream_Safe_Text_Format>).
    ///
    /// Strings are compared and hashed by their normal form, for which marks that follow one another are sorted, in time that
    /// grows with the square of their number: 240,000 of them, half a megabyte, take a minute. So a stranger's text is looked at
    /// before it is compared with anything, or is the key of a dictionary.
    package var isStreamSafe: Bool {
        // Each takes two bytes or more.
        guard utf8.count > 2 * Self.mostMarks else { return true }
        var marks = 0
        for scalar in unicodeScalars {
            marks = scalar.properties.canonicalCombiningClass == .notReordered ? 0 : marks + 1
            if marks > Self.mostMarks { return false }
        }
        return true
    }
}
