import EventLog
import MicroHTTP
import Webhooks

extension Response {
    /// How long an answer about an event may be taken for true.
    enum Lifespan: String {
        /// An event never changes.
        case lasting = "private, max-age=31536000, immutable"
        /// Until another event is the newest: to be asked for each time.
        case momentary = "private, no-cache"
    }

    /// One event as it was posted: its data, or for a client that asks for that the whole of it as a CloudEvent.
    ///
    /// 304 if the client has it already.
    static func event(_ event: Event, for request: Request, lifespan: Lifespan) -> Response {
        let isCloudEvent = CloudEvent.isWanted(by: request)
        let tag = "\"\(event.id)\""
        var headers = [
            // A tag tells one representation from another; that of the data is the one to compare and set with.
            ("ETag", isCloudEvent ? "W/\(tag)" : tag),
            ("Cache-Control", lifespan.rawValue),
            ("Vary", "Accept"),
            ("X-Content-Type-Options", "nosniff"),
            // Posted by anyone: shown in a browser it must not act with this origin's rights.
            ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ]
        if let type = event.type { headers.append(("Event-Type", HeaderValue.encode(type))) }
        guard !EntityTag.matches(request.headers.values(of: "If-None-Match"), tag) else {
            return Response(.notModified, headers: headers)
        }
        guard !isCloudEvent else {
            return Response(.ok, json: CloudEvent.json(event), mediaType: CloudEvent.mediaType, headers: headers)
        }
        headers.append(("Content-Type", event.contentType ?? "application/octet-stream"))
        return Response(.ok, headers: headers, body: event.data)
    }
}

extension CloudEvent {
    /// Whether a client accepts CloudEvents by name: what takes anything gets the data.
    fileprivate static func isWanted(by request: Request) -> Bool {
        request.headers.values(of: "Accept").flatMap { $0.split(separator: ",") }.map { MediaRange($0) }
            .contains { $0.name == mediaType && $0.quality > 0 }
    }
}
