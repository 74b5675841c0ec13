/// A line of Markdown that has code and links, and nothing else.
enum MarkdownLine {
    /// The line with its code rendered, and what stands between.
    static func render(_ line: String, text: (String) -> String = { $0 }, code: (String) -> String) -> String {
        // Every other part stands between backticks.
        let parts = line.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
        return parts.enumerated().map { index, part in index.isMultiple(of: 2) ? text(part) : code(part) }.joined()
    }

    /// Of links, which lead to files that a hub does not serve, the text.
    ///
    /// Not by a regular expression: to read one for each part was a quarter of the time in which a hub starts.
    static func withoutLinks(_ text: String) -> String {
        var plain = ""
        var rest = text[...]
        while let start = rest.firstIndex(of: "["), let middle = rest[start...].firstRange(of: "]("),
            let end = rest[middle.upperBound...].firstIndex(of: ")")
        {
            plain += rest[..<start] + rest[rest.index(after: start)..<middle.lowerBound]
            rest = rest[rest.index(after: end)...]
        }
        return plain + rest
    }
}
