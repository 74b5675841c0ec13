/// A code of problem documents, as it is explained to who meets it.
struct DocumentedError: Sendable {
    /// The stable code: what stands behind `#` in the `type` of a problem.
    let code: String

    /// The statuses it comes with, in words, as Markdown.
    let statuses: String

    /// What to do about it, in one line of Markdown that has code and links, and nothing else.
    let advice: String

    init(_ code: String, _ statuses: String, _ advice: String) {
        self.code = code
        self.statuses = statuses
        self.advice = advice
    }

    /// The status that it has as a rule.
    var status: Int { Int(statuses.prefix(3)) ?? 500 }

    /// Its advice in plain text.
    var plainAdvice: String { Self.render(advice) { "`\($0)`" } }

    /// Its row in the table of `docs/errors.md`.
    var markdownRow: String { "| <a id=\"\(code)\"></a>`\(code)` | \(statuses) | \(advice) |" }

    /// Its paragraph in plain text.
    var text: String { "\(code) (\(Self.render(statuses) { $0 }))\n    \(Self.render(advice) { $0 })\n" }

    /// Its entry in a list of HTML.
    var html: String {
        """
        <dt id="\(code)"><a href="#\(code)"><code>\(code)</code></a> <span>\(Self.html(statuses))</span></dt>
        <dd>\(Self.html(advice))</dd>

        """
    }

    private static func html(_ markdown: String) -> String {
        render(HTMLText.escape(markdown)) { "<code>\($0)</code>" }
    }

    private static func render(_ markdown: String, code: (String) -> String) -> String {
        MarkdownLine.render(markdown, text: MarkdownLine.withoutLinks, code: code)
    }
}
