import MicroHTTP

/// `GET /docs`: the document of `/openapi.json` as a page that people read. It runs no script and loads nothing.
struct ManualPage {
    private let document: OrderedJSON
    /// Where the hub's other resources are: empty for beside the page.
    private let base: String

    /// - Parameter publicURL: where clients reach the hub, if that is known.
    init(of document: OrderedJSON, publicURL: PublicURL?) {
        self.document = document
        base = publicURL.map { "\($0.text)/" } ?? ""
    }

    /// The page.
    var response: Response {
        let policy = HTMLPage.contentSecurityPolicy(style: Self.style, images: "data:")
        return Response(
            .ok,
            headers: [("Content-Type", "text/html; charset=utf-8")] + HTMLPage.fields(contentSecurityPolicy: policy),
            body: Array(html.utf8)
        )
    }

    private var html: String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>HTTP interface · Clarion</title>
        <link rel="icon" href="data:,">
        <style>\(Self.style)</style>
        <a class="skip" href="#content">Skip to the content</a>
        <header>
        <h1>Clarion’s HTTP interface</h1>
        <p>Version \(HTMLText.escape(document["info"]?["version"]?.text ?? "")), as
        <a href="\(HTMLText.escape(base))openapi.json">OpenAPI 3.1</a>.</p>
        </header>
        <nav aria-label="Operations">\(contents)</nav>
        <main id="content" tabindex="-1">
        <section>\(HTMLText.paragraphs(document["info"]?["description"]?.text ?? ""))</section>
        \(credentials)
        \(sections)
        <h2 id="schemas">Schemas</h2>
        \(schemas)
        <h2 id="errors">Errors</h2>
        <dl>\(DocumentedError.all.map(\.html).joined())</dl>
        </main>
        </html>

        """
    }

    private var contents: String {
        let groups = Self.groups(of: document).map { group in
            let operations = group.operations.map { operation in
                "<li><a href=\"#\(operation.id)\">\(operation.title)</a> <span>\(operation.summary)</span></li>"
            }
            return "<li><a href=\"#\(group.id)\">\(group.title)</a><ul>\(operations.joined())</ul></li>"
        }
        return
            "<ul>\(groups.joined())<li><a href=\"#schemas\">Schemas</a></li><li><a href=\"#errors\">Errors</a></li></ul>"
    }

    private var credentials: String {
        let schemes = document["components"]?["securitySchemes"]?.members ?? []
        let rows = schemes.map { scheme in
            let name = scheme.value["name"]?.text ?? "Authorization"
            return
                "<dt><code>\(HTMLText.escape(name))</code> <span>\(HTMLText.escape(scheme.value["in"]?.text ?? "header"))</span></dt>"
                + "<dd>\(HTMLText.code(scheme.value["description"]?.text ?? ""))</dd>"
        }
        return """
            <section><h2 id="credentials">Credentials</h2><p>A hub that was started with credentials asks for one, in one of \
            these places.</p><dl>\(rows.joined())</dl></section>
            """
    }

    private var sections: String {
        Self.groups(of: document).map { group in
            "<section><h2 id=\"\(group.id)\">\(group.title)</h2><p>\(group.summary)</p>"
                + group.operations.map(\.html).joined() + "</section>"
        }.joined()
    }

    private var schemas: String {
        (document["components"]?["schemas"]?.members ?? []).map { schema in
            "<section class=\"schema\"><h3 id=\"schema-\(schema.name)\"><code>\(schema.name)</code></h3>"
                + SchemaText(schema.value).html + "</section>"
        }.joined()
    }
}
