extension String {
    /// The text as one line: SQLite tells of damage in several.
    var inOneLine: String {
        split(whereSeparator: \.isNewline).joined(separator: " ")
    }
}
