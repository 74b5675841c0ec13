import EventLog
import MicroHTTP
import Webhooks

/// What a request posts: events that are stored together or not at all.
struct Post: Sendable {
    /// One transaction holds up all others while it runs, with this many for some 30 ms, and 150 ms if each has a key.
    static let maximumEvents = 10_000

    private(set) var drafts: [EventDraft]
    let format: PostFormat
    /// Where the client's own idempotency key stood; nil if it gave none.
    let keyParameter: String?

    /// Whether it is answered as several events, however many there are.
    var isBatch: Bool { format.isBatch }

    /// Takes a request apart and checks everything that can be checked without the log.
    ///
    /// - Parameter traceparent: what is kept of the trace that it is part of.
    /// - Throws: what is wrong with it.
    init(_ request: Request, traceparent: Traceparent? = nil) throws(Problem) {
        let topic: Topic = try request.parameter("topic")
        try topic.requireFree()
        let contentType = try ContentType.of(request)
        let type = try EventType.of(request)
        let key = try PostKey(request)
        keyParameter = key?.parameter
        let attributes = EventAttributes(
            traceparent: traceparent?.description,
            hops: try HopCount.of(request)
        )
        format = try PostFormat(request, contentType: contentType)
        var context: CloudEventContext?
        switch format {
        case .data:
            let draft = EventDraft(
                topic: topic,
                type: type,
                contentType: ContentType.stored(contentType, data: request.body),
                data: request.body,
                attributes: attributes.stored
            )
            drafts = [draft]
        case .lines:
            let stored = attributes.stored
            drafts = try JSONLines.values(of: request.body, atMost: Post.maximumEvents).map { line in
                EventDraft(
                    topic: topic,
                    type: type,
                    contentType: ContentType.json,
                    data: line,
                    attributes: stored
                )
            }
        case .cloudEventData(let fields):
            let event = try PostedCloudEvent(fields: fields, contentType: contentType, body: request.body)
            context = event.context
            drafts = [try event.draft(topic: topic, type: type, with: attributes, isKeyed: key == nil)]
        case .cloudEvent:
            let event = try PostedCloudEvent.event(request.body)
            context = event.context
            drafts = [try event.draft(topic: topic, type: type, with: attributes, isKeyed: key == nil)]
        case .cloudEvents:
            let events = try PostedCloudEvent.batch(request.body, atMost: Post.maximumEvents)
            drafts = try events.map { event throws(Problem) in
                try event.draft(topic: topic, type: type, with: attributes, isKeyed: key == nil)
            }
        }
        guard let key else { return }
        // What makes the post, and not what differs each time that it is repeated.
        let fingerprint =
            format.isBatch
            ? Fingerprint.of(batch: request.body, contentType: contentType, type: type)
            : Fingerprint.of(drafts[0], context)
        drafts = key.given(to: drafts, fingerprint: fingerprint)
    }

    /// Has every event checked against the binding of its topic.
    ///
    /// - Throws: 422 `info-mismatch`.
    mutating func admit(by bindings: TopicBindings) throws(Problem) {
        for index in drafts.indices {
            do {
                drafts[index] = try bindings.admit(drafts[index])
            } catch {
                throw Problem(
                    .unprocessable,
                    code: HubError.infoMismatch,
                    detail: error.detail,
                    pointer: format.dataPointer(of: index) + error.pointer
                )
            }
        }
    }
}

extension PostedCloudEvent {
    /// - Parameters:
    ///   - type: what the request says beside the event, which brings its own.
    ///   - attributes: what the request says beside the event.
    ///   - isKeyed: whether its source and id are its idempotency key.
    /// - Throws: `event-type-invalid` if the two types differ.
    fileprivate func draft(
        topic: Topic,
        type: String?,
        with attributes: EventAttributes,
        isKeyed: Bool
    ) throws(Problem) -> EventDraft {
        guard type == nil || type == self.type else {
            throw Problem(
                .badRequest,
                code: "event-type-invalid",
                detail: "A CloudEvent brings its own type; leave \"Event-Type\" and \"type\" out.",
                parameter: "Event-Type"
            )
        }
        var attributes = attributes
        attributes.cloudEvent = context
        var draft = EventDraft(
            topic: topic,
            // What a hub gives an event that was posted without one, so that it comes back as it was.
            type: self.type == CloudEvent.defaultType ? nil : self.type,
            contentType: contentType,
            data: data,
            attributes: attributes.stored
        )
        if isKeyed { draft.idempotencyKey = IdempotencyKey(key, fingerprint: Fingerprint.of(draft, context)) }
        return draft
    }
}
