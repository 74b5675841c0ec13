import EventLog
import MicroHTTP

extension Router {
    /// `POST /topics/{topic}/events`.
    mutating func addPosting(_ hub: Hub) {
        on(.post, "/topics/{topic}/events") { [weak hub, log = hub.log, logger = hub.logger] request throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            let draft = EventDraft(
                topic: try request.parameter("topic"),
                type: try EventType.of(request),
                contentType: ContentType.stored(request.headers["Content-Type"], data: request.body),
                data: request.body,
                attributes: EventAttributes(
                    traceparent: EventAttributes.traceparent(request.headers["traceparent"])
                ).stored
            )
            let id = request.id
            return .later { responder in
                log.append([draft]) { result in
                    switch result {
                    case .success(let events): responder.respond(Response.created(events[0]))
                    case .failure(let error): responder.respond(Problem(error, requestID: id, logger: logger))
                    }
                }
            }
        }
    }
}

extension Response {
    /// The acknowledgement of a post.
    fileprivate static func created(_ event: Event) -> Response {
        Response(
            .created,
            headers: [
                ("Content-Type", "application/json"),
                ("Location", "/topics/\(event.topic.pathSegment)/events/\(event.id)"),
            ],
            body: EventDocument.receipt(event)
        )
    }
}
