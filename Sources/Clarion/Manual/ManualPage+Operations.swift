extension ManualPage {
    /// The operations of a section.
    struct Group {
        let id: String
        let title: String
        let summary: String
        let operations: [Entry]
    }

    static func groups(of document: OrderedJSON) -> [Group] {
        let entries = (document["paths"]?.members ?? []).flatMap { path in
            path.value.members.filter { $0.name != "parameters" }.map {
                Entry(path.name, $0.name, $0.value, of: document)
            }
        }
        return (document["tags"]?.elements ?? []).map { tag in
            let name = tag["name"]?.text ?? ""
            return Group(
                id: "section-\(name.lowercased())",
                title: HTMLText.escape(name),
                summary: HTMLText.code(tag["description"]?.text ?? ""),
                operations: entries.filter { $0.tag == name }
            )
        }
    }

    /// An operation, as the page shows it.
    struct Entry {
        let id: String
        let tag: String
        /// The method and the path.
        let title: String
        let summary: String
        private let operation: OrderedJSON
        private let document: OrderedJSON

        init(_ path: String, _ method: String, _ operation: OrderedJSON, of document: OrderedJSON) {
            id = operation["operationId"]?.text ?? ""
            tag = operation["tags"]?.elements.first?.text ?? ""
            let method = method.uppercased()
            title = "<code><b>\(method)</b> \(HTMLText.breakable(path))</code>"
            summary = HTMLText.code(operation["summary"]?.text ?? "")
            self.operation = operation
            self.document = document
        }

        var html: String {
            """
            <article><h3 id="\(id)"><a href="#\(id)">\(title)</a></h3>
            <p class="summary">\(summary)</p>
            \(HTMLText.paragraphs(operation["description"]?.text ?? ""))
            \(parameters)\(body)\(answers)</article>

            """
        }

        private var parameters: String {
            let rows = (operation["parameters"]?.elements ?? []).map { parameter in
                let required = parameter["required"] == true ? ", required" : ""
                return """
                    <dt><code>\(HTMLText.escape(parameter["name"]?.text ?? ""))</code> \
                    <span>\(parameter["in"]?.text ?? "")\(required), \(SchemaText(parameter["schema"] ?? [:]).type)</span></dt>
                    <dd>\(HTMLText.code(parameter["description"]?.text ?? "")) Example: \
                    <code>\(HTMLText.escape(parameter["example"]?.inline ?? ""))</code></dd>

                    """
            }
            return rows.isEmpty ? "" : "<h4>Parameters</h4><dl>\(rows.joined())</dl>"
        }

        private var body: String {
            guard let body = operation["requestBody"] else { return "" }
            return "<h4>Body</h4><p>\(HTMLText.code(body["description"]?.text ?? ""))</p>" + contents(body["content"])
        }

        private var answers: String {
            let answers = (operation["responses"]?.members ?? [])
            let (problems, others) = (answers.filter { $0.name >= "400" }, answers.filter { $0.name < "400" })
            return "<h4>Answers</h4>" + others.map(answer).joined()
                + "<details><summary>Errors: \(codes(of: problems))</summary><dl>"
                + problems.map(problem).joined() + "</dl></details>"
        }

        private func answer(_ answer: OrderedJSON.Member) -> String {
            let headers = (answer.value["headers"]?.members ?? []).map { "<code>\($0.name)</code>" }
            return """
                <p><b>\(answer.name)</b> \(HTMLText.code(answer.value["description"]?.text ?? "")) \
                <span>Header fields: \(headers.joined(separator: ", ")).</span></p>
                """ + contents(answer.value["content"])
        }

        private func contents(_ content: OrderedJSON?) -> String {
            (content?.members ?? []).map { content -> String in
                let examples = (content.value["examples"]?.members ?? []).map { example in
                    let text = example.value["value"] ?? .null
                    return "<pre tabindex=\"0\"><code>\(HTMLText.escape(text.text ?? text.indented))</code></pre>"
                }
                let schema = content.value["schema"] ?? [:]
                return """
                    <p class="content"><code>\(content.name)</code> <span>\(SchemaText(schema).type)</span> \
                    \(HTMLText.code(schema["description"]?.text ?? ""))</p>
                    """ + examples.joined()
            }.joined()
        }

        /// What stands behind a reference to an answer.
        private func resolved(_ answer: OrderedJSON) -> OrderedJSON {
            guard let name = answer["$ref"]?.text?.split(separator: "/").last else { return answer }
            return document["components"]?["responses"]?[String(name)] ?? answer
        }

        private func codes(of problem: OrderedJSON) -> [String] {
            let schema = resolved(problem)["content"]?["application/problem+json"]?["schema"]
            return (schema?["properties"]?["code"]?["enum"]?.elements ?? []).compactMap(\.text)
        }

        private func codes(of problems: [OrderedJSON.Member]) -> String {
            problems.map(\.name).joined(separator: ", ")
        }

        private func problem(_ problem: OrderedJSON.Member) -> String {
            let links = codes(of: problem.value).map { "<a href=\"#\($0)\"><code>\($0)</code></a>" }
            return "<dt>\(problem.name)</dt><dd>\(links.joined(separator: ", "))</dd>"
        }
    }
}
