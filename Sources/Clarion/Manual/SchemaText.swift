/// A JSON Schema as people read it.
struct SchemaText {
    private let schema: OrderedJSON

    init(_ schema: OrderedJSON) {
        self.schema = schema
    }

    /// What it is, in a few words of HTML.
    var type: String {
        if case .schema(let schema) = schema { return "<a href=\"#schema-\(schema.name)\">\(schema.name)</a>" }
        if let value = schema["const"] { return "<code>\(HTMLText.escape(value.inline))</code>" }
        if let values = schema["enum"]?.elements {
            return values.map { "<code>\(HTMLText.escape($0.inline))</code>" }.joined(separator: " or ")
        }
        for word in ["oneOf", "anyOf"] {
            if let choices = schema[word]?.elements {
                return choices.map { SchemaText($0).type }.joined(separator: " or ")
            }
        }
        let names = schema["type"].map { $0.text.map { [$0] } ?? $0.elements.compactMap(\.text) } ?? ["anything"]
        return names.map { $0 == "array" ? list : $0 }.joined(separator: " or ") + bounds
    }

    private var list: String { schema["items"].map { "list of \(SchemaText($0).type)" } ?? "list" }

    private var bounds: String {
        let words = [
            ("minimum", "at least", ""), ("maximum", "at most", ""), ("minLength", "at least", " characters"),
            ("maxLength", "at most", " characters"), ("minItems", "at least", " elements"),
            ("maxItems", "at most", " elements"), ("maxProperties", "at most", " members"), ("format", "format", ""),
            ("contentEncoding", "in", ""), ("pattern", "matches", ""),
        ]
        return words.compactMap { name, before, after in
            schema[name].map { ", \(before) <code>\(HTMLText.escape($0.inline))</code>\(after)" }
        }.joined()
    }

    /// All of it.
    var html: String {
        let description = schema["description"]?.text.map { "<p>\(HTMLText.code($0))</p>" } ?? ""
        let required = Set((schema["required"]?.elements ?? []).compactMap(\.text))
        let rows = (schema["properties"]?.members ?? []).map { member in
            """
            <dt><code>\(HTMLText.escape(member.name))</code> <span>\(required.contains(member.name) ? "" : "optional, ")\
            \(SchemaText(member.value).type)</span></dt>
            <dd>\(HTMLText.code(member.value["description"]?.text ?? ""))</dd>

            """
        }
        return description + (rows.isEmpty ? "<p>\(type)</p>" : "<dl>\(rows.joined())</dl>")
    }
}

extension OrderedJSON {
    /// The value on one line, text without quotes.
    var inline: String { text ?? String(decoding: bytes, as: UTF8.self) }

    /// The document over several lines, of which none that need not be is long.
    var indented: String { indented(by: "") }

    private func indented(by margin: String) -> String {
        let line = String(decoding: bytes, as: UTF8.self)
        guard line.utf8.count > 64 else { return line }
        switch self {
        case .object(let members):
            let lines = members.map { member in
                let name = String(decoding: OrderedJSON.string(member.name).bytes, as: UTF8.self)
                return "\(margin)  \(name): \(member.value.indented(by: margin + "  "))"
            }
            return "{\n\(lines.joined(separator: ",\n"))\n\(margin)}"
        case .array(let elements):
            let lines = elements.map { "\(margin)  \($0.indented(by: margin + "  "))" }
            return "[\n\(lines.joined(separator: ",\n"))\n\(margin)]"
        default: return line
        }
    }
}
