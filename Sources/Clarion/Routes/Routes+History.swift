import EventLog
import MicroHTTP

extension Routes {
    /// `GET /topics/{topic}/events/{id}`: one event, as it was posted.
    mutating func addHistory(_ hub: Hub) {
        onAsync(.get, "/topics/{topic}/events/{id}", .readEvent, needs: .subscribe) { [log = hub.log] request in
            let topic: Topic = try request.parameter("topic")
            let text: String = try request.parameter("id")
            guard let id = EventID(text), let event = try await log.event(id), event.topic == topic else {
                throw Problem(.notFound, code: "event-unknown", detail: "This topic has no such event.")
            }
            return try Response.event(event, for: request, lifespan: .lasting)
        }
    }
}
