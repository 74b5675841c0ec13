import MicroHTTP

/// `GET /errors`: where the `type` of every problem document leads.
enum ErrorsPage {
    /// A page for browsers; plain text for who prefers that.
    static func response(to request: Request) -> Response {
        let ranges = MediaRange.all(in: request.headers.values(of: "Accept"))
        let isText = ranges.quality("text/plain") > ranges.quality("text/html", "text/*", "*/*")
        return Response(
            .ok,
            headers: [
                ("Content-Type", isText ? "text/plain; charset=utf-8" : "text/html; charset=utf-8"), ("Vary", "Accept"),
            ] + fields,
            constant: isText ? text : html
        )
    }

    private static let text = ConstantBody(Array(DocumentedError.all.map(\.text).joined(separator: "\n").utf8))

    private static let fields = HTMLPage.fields(
        contentSecurityPolicy: HTMLPage.contentSecurityPolicy(style: style, images: "data:")
    )

    private static let style = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
        body { max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
        dt { margin-top: 1rem; } dt a { color: inherit; font-weight: 600; } dt span { opacity: 0.7; }
        dt:target, dt:target + dd { background: color-mix(in srgb, currentColor 12%, transparent); }
        dd { margin: 0; }
        """

    private static let html = ConstantBody(
        Array(
            """
            <!doctype html>
            <html lang="en">
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>Errors · Clarion</title>
            <link rel="icon" href="data:,">
            <style>\(style)</style>
            <h1>Errors</h1>
            <p>Every error is a problem document. Its <code>code</code> is one of these; <code>detail</code> says what went wrong
            this time, <code>pointer</code> or <code>parameter</code> names what is to blame, and under the id in
            <code>instance</code> the hub’s log knows the request.</p>
            <dl>
            \(DocumentedError.all.map(\.html).joined())</dl>
            </html>

            """.utf8
        )
    )
}

extension Routes {
    /// `GET /errors`.
    mutating func addErrors() {
        on(.get, "/errors", .readErrors, needs: .nothing) { request in .now(ErrorsPage.response(to: request)) }
    }
}
