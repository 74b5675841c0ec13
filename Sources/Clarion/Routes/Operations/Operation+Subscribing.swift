import EventLog
import MicroHTTP

extension Operation {
    static let readEvents = events(
        "readEvents",
        "Hear a topic or a pattern",
        of: .pattern
    )

    static let readEventsOfTopics = events(
        "readEventsOfTopics",
        "Hear several topics and patterns",
        of: Parameter(
            place: .query,
            name: "topic",
            description: "A topic or a pattern; it may come up to \(Routes.maximumTopics) times.",
            schema: [
                "type": "array", "items": .schema(.topicPattern), "minItems": 1,
                "maxItems": .integer(Routes.maximumTopics),
            ],
            example: ["orders.created", "news.**"],
            isRequired: true,
            isRepeatable: true,
            errors: ["parameter-invalid", "topic-invalid", "pattern-invalid"]
        )
    )

    static let readEvent = Operation(
        id: "readEvent",
        section: .events,
        summary: "Read one event",
        details: "The data as it was posted; for who asks for that by name, the whole event as a CloudEvent.",
        parameters: [.pattern, .event] + Preconditions.parameters,
        answers: event,
        errors: ["precondition-failed"]
    )

    static let readValue = Operation(
        id: "readValue",
        section: .values,
        summary: "Read a topic's value",
        details: "The newest event's data as it was posted; for who asks for that by name, that event as a CloudEvent.",
        parameters: [.pattern] + Preconditions.parameters,
        answers: event,
        errors: ["value-absent", "value-changed"]
    )

    /// Streams and history share their paths, so each takes what the other does.
    private static func events(_ id: String, _ summary: String, of topics: Parameter) -> Operation {
        Operation(
            id: id,
            section: .events,
            summary: summary,
            details: """
                With `text/event-stream` in `Accept` it is a stream of server-sent events that goes on with what is posted; \
                otherwise it is a page of history, as a document or, as `application/x-ndjson`, in lines.
                """,
            parameters: [topics] + StreamBeginning.parameters + [
                .query(
                    "type",
                    "Only events of these types, separated by commas; one that has a comma cannot be asked for.",
                    ["type": "string", "pattern": "[^,]"],
                    example: "created,paid"
                ),
                .query(
                    "observer",
                    """
                    A name of the client's own for its stream: another stream of that name ends, and one that was unregistered is \
                    answered 204 for a day.
                    """,
                    .schema(.observerID),
                    example: "dashboard",
                    errors: ["observer-id-invalid", "observer-kind", "origin-refused"]
                ),
                .query(
                    "envelope",
                    """
                    Has the `data:` of a stream be the whole event: as history shows it, or as a CloudEvent. With `cloudevents`, \
                    history has CloudEvents, too.
                    """,
                    .choice(["json", "cloudevents"]),
                    example: "json"
                ),
                .query(
                    "after",
                    """
                    Where a page of history begins: after this event. It wins over `since` and `last`. A stream takes it for \
                    `last-event-id`.
                    """,
                    ["type": "string"],
                    example: "01jd7m3x8qz4-41"
                ),
                ListPage.limitParameter,
            ],
            answers: [
                Answer(
                    .ok,
                    "A stream, which ends only when it is unregistered, when its credential does or when the hub stops; or history.",
                    headers: [.cacheControl, .link, .accelBuffering, .observerID, .lastEventID],
                    // First what comes without `Accept`, as generators of clients expect.
                    Content(
                        ContentType.json,
                        ["anyOf": [.schema(.eventPage), .schema(.cloudEventPage)]],
                        example: ["events": [EventDocument.example], "next": .null]
                    ),
                    Content(
                        "text/event-stream",
                        .text("Server-sent events (WHATWG HTML, section 9.2)."),
                        example: "id: 01jd7m3x8qz4-41\nevent: created\ndata: {\"total\": 12}\n\n"
                    ),
                    Content(
                        "application/x-ndjson",
                        .text("An `Event` on every line, or a `CloudEvent`."),
                        example: .string(String(decoding: EventDocument.example.bytes, as: UTF8.self) + "\n")
                    )
                ),
                Answer(.noContent, "The stream of this name was unregistered: an `EventSource` does not come back."),
            ],
            errors: ["not-acceptable", "rate-limited", "client-gone"]
        )
    }

    /// One event.
    private static let event = [
        Answer(
            .ok,
            "The event.",
            headers: headers,
            Content(
                "*/*",
                ["description": "The data as it was posted, with its content type."],
                example: "hello"
            ),
            Content(CloudEvent.mediaType, .schema(.cloudEvent), example: CloudEvent.example)
        ),
        Answer(.notModified, "It is what `If-None-Match` names.", headers: headers),
    ]

    private static let headers: [Header] = [
        .entityTag, .cacheControl, .vary, .noSniffing, .contentSecurityPolicy, .eventType,
    ]
}
