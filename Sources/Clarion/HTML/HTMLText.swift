/// Text within HTML.
enum HTMLText {
    /// Text as the content of an element or of a quoted attribute (WHATWG HTML, section 13.1.2).
    static func escape(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A line of Markdown that has code, and nothing else.
    static func code(_ markdown: String) -> String {
        MarkdownLine.render(escape(markdown)) { "<code>\($0)</code>" }
    }

    /// The same of several paragraphs, with an empty line between.
    static func paragraphs(_ markdown: String) -> String {
        markdown.split(separator: "\n\n").map { "<p>\(code(String($0)))</p>" }.joined()
    }

    /// A path, which may be broken before its slashes.
    static func breakable(_ path: String) -> String { escape(path).replacing("/", with: "<wbr>/") }
}
