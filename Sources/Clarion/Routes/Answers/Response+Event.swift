import EventLog
import HTTPTransport
import MicroHTTP
import Notation

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
    ///
    /// - Throws: 400 `parameter-invalid` for conditions that are none; 412 if `If-Match` names something else.
    static func event(_ event: Event, for request: Request, lifespan: Lifespan) throws(Problem) -> Response {
        let isCloudEvent = CloudEvent.isWanted(by: request, rather: event.contentType)
        let tag = isCloudEvent ? EntityTag(cloudEvent: event) : EntityTag(data: event)
        let unmet = try Preconditions(request).unmet(by: .tagged(tag))
        if unmet == .match {
            let code = lifespan == .lasting ? "precondition-failed" : "value-changed"
            throw Preconditions.problem(.match, of: .tagged(tag), code: code)
        }
        var headers = [
            ("ETag", tag.description),
            ("Cache-Control", lifespan.rawValue),
            // A browser that keeps it gives it to nobody else who uses it.
            ("Vary", "Accept, Authorization, Cookie"),
            ("X-Content-Type-Options", "nosniff"),
            // Posted by anyone: shown in a browser it must not act with this origin's rights.
            ("Content-Security-Policy", "sandbox; default-src 'none'"),
        ]
        if let type = event.type { headers.append(("Event-Type", PercentEncoding.encode(type, but: .fieldText))) }
        let type = [("Content-Type", event.contentType ?? "application/octet-stream")]
        let whole =
            isCloudEvent
            ? Response(.ok, json: CloudEvent.json(event), mediaType: CloudEvent.mediaType, headers: headers)
            : Response(.ok, headers: headers + type, body: event.data)
        // Its length is told, and no more of it is sent (RFC 9110 section 8.6).
        return unmet == nil ? whole : Response(.notModified, headers: headers, body: whole.body)
    }
}

extension CloudEvent {
    /// Whether a client accepts CloudEvents by name, and not rather the data as it is: what takes anything gets that.
    fileprivate static func isWanted(by request: Request, rather contentType: String?) -> Bool {
        let ranges = MediaRange.all(in: request.headers.values(of: "Accept"))
        let quality = ranges.quality(mediaType)
        return quality > 0 && quality >= ranges.quality(ofType: contentType ?? "application/octet-stream")
    }
}
