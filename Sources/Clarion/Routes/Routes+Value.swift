import EventLog
import MicroHTTP
import Webhooks

extension Routes {
    /// `/topics/{topic}/value`: the newest event as the value of its topic.
    mutating func addValue(_ hub: Hub) {
        onAsync(.get, "/topics/{topic}/value", .readValue, needs: .subscribe) { [log = hub.log] request in
            guard let event = try await log.lastEvent(of: try request.parameter("topic")) else {
                throw Problem(
                    .notFound,
                    code: "value-absent",
                    detail: "Nothing was posted on this topic, or all is gone."
                )
            }
            return try Response.event(event, for: request, lifespan: .momentary)
        }
        let put: Router.Handler = { [weak hub] request throws(Problem) in
            guard let hub, !hub.isDraining else { throw Problem.draining }
            let read = { (request: Request, traceparent: Traceparent?) throws(Problem) -> Post in
                let post = try Post(request, traceparent: traceparent)
                guard !post.isBatch else {
                    throw Problem.mediaTypeUnsupported("A value is one event; post a batch instead.")
                }
                return post
            }
            let condition = try AppendCondition(request)
            return try hub.store(request, if: condition, read) { [links = hub.links] receipt, _ in
                var response = Response.receipt(receipt, links)
                response.setHeader("ETag", EntityTag(data: receipt.events[0]).description)
                return response
            }
        }
        on(.put, "/topics/{topic}/value", .putValue, needs: .publish, aside(put))
    }
}
