import MicroHTTP

/// How a client wants events, by its `Accept` (RFC 9110 section 12.5.1).
enum EventsFormat {
    case stream, json, lines

    /// - Throws: 406 `not-acceptable` if it accepts none of the three.
    init(_ request: Request) throws(Problem) {
        let ranges = MediaRange.all(in: request.headers.values(of: "Accept"))
        // A stream is only for those who ask for it by name: what takes any text, or anything, like curl, wants an
        // answer that ends.
        let offers: [(format: EventsFormat, quality: Double)] = [
            (.stream, ranges.quality("text/event-stream")),
            (.lines, ranges.quality("application/x-ndjson")),
            (.json, ranges.isEmpty ? 1 : ranges.quality("application/json", "application/*", "*/*")),
        ]
        var best: (format: EventsFormat, quality: Double)?
        for offer in offers where offer.quality > best?.quality ?? 0 { best = offer }
        guard let best else {
            throw Problem(
                .notAcceptable,
                code: "not-acceptable",
                detail: "Events come as text/event-stream, application/json or application/x-ndjson.",
                parameter: "Accept"
            )
        }
        self = best.format
    }
}
