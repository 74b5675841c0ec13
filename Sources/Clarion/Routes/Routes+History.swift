import EventLog
import MicroHTTP

extension Routes {
    /// `GET /topics/{topic}/events/{id}`: one event, as it was posted.
    mutating func addHistory(_ hub: Hub) {
        let log = hub.log
        onInquiry(.get, "/topics/{topic}/events/{id}", .readEvent, needs: .subscribe) { request, inquiry in
            let topic: Topic = try request.parameter("topic")
            let text: String = try request.parameter("id")
            let unknown = Problem(.notFound, code: "event-unknown", detail: "This topic has no such event.")
            // Waited for without keeping others from their answers.
            guard let id = EventID(text), id.epoch == log.epoch, try await log.hasReached(id.position) else {
                throw unknown
            }
            return try await inquiry.answer {
                guard let event = try await log.event(id), event.topic == topic else { throw unknown }
                return try Response.event(event, for: request, lifespan: .lasting)
            }
        }
    }
}
