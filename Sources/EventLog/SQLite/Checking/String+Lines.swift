extension String {
    /// The text as one line: SQLite reports damage in several.
    var inOneLine: String { split(whereSeparator: \.isNewline).joined(separator: " ") }
}
