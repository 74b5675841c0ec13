import EventLog
import Webhooks

extension DueDelivery {
    /// An event on its way to an endpoint, in the format it asks for.
    init(of event: Event, in format: Endpoint.Format) {
        let attributes = EventAttributes(event.attributes)
        self.init(
            id: event.position.rawValue,
            eventID: event.id.description,
            topic: event.topic.name,
            body: event.data
        )
        type = event.type
        contentType = event.contentType
        traceparent = attributes.traceparent
        hops = attributes.hops + 1
        committedAt = event.time.milliseconds
        storedBytes = event.cost
        switch format {
        case .raw: break
        case .cloudEventsBinary:
            let message = CloudEvent.binary(event, attributes.cloudEvent)
            headers = message.headers
            contentType = message.contentType
        case .cloudEventsStructured:
            contentType = CloudEvent.mediaType + "; charset=utf-8"
            body = CloudEvent.json(event)
        }
    }
}
