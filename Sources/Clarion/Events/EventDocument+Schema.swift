extension Schema {
    /// ``EventDocument/receipt(_:)-(Event)``
    static let receipt = Schema(
        "EventReceipt",
        .object(
            "An event that was stored.",
            required: ["id": .schema(eventID), "topic": .schema(topicName), "time": .time("When it was stored.")],
            example: EventDocument.receiptExample
        )
    )

    /// ``EventDocument/receipt(_:)-([Event])``
    static let receipts = Schema(
        "EventReceipts",
        .object(
            "Events that were stored next to each other, in the order of the post.",
            required: ["events": ["type": "array", "items": .schema(receipt)]]
        )
    )

    /// ``EventDocument/json(_:)``
    static let event = Schema(
        "Event",
        .object(
            "An event. It has `data`, or `dataBase64` if the data is neither JSON nor UTF-8.",
            required: [
                "id": .schema(eventID),
                "topic": .schema(topicName),
                "type": .nullable(.text("The event's type.")),
                "time": .time("When it was stored."),
                "contentType": .nullable(.text("What the data is.")),
            ],
            optional: [
                "traceparent": .text("The trace in which it was posted (W3C Trace Context), if there was one."),
                "data": [
                    "description": "The data: JSON as it was posted if the content type says JSON, otherwise text."
                ],
                "dataBase64": ["type": "string", "contentEncoding": "base64", "description": "The data in base64."],
            ],
            example: EventDocument.example
        )
    )

    static let eventPage = Schema(
        "EventPage",
        .page(of: "events", event, next: "The id of the last event here, for `after` of the next page")
    )

    static let cloudEventPage = Schema(
        "CloudEventPage",
        .page(of: "events", cloudEvent, next: "The hub's id of the last event here, for `after` of the next page")
    )

    /// ``CloudEvent``
    static let cloudEvent = Schema(
        "CloudEvent",
        .object(
            "An event as structured CloudEvents 1.0 JSON. What else it has are extension attributes. Null is as left out.",
            required: [
                "specversion": .constant("1.0"),
                "id": ["type": "string", "minLength": 1],
                "source": ["type": "string", "minLength": 1, "format": "uri-reference"],
                "type": ["type": "string", "minLength": 1, "maxLength": 128],
            ],
            optional: [
                "subject": ["type": ["string", "null"], "minLength": 1],
                "time": .nullable(.time()),
                "datacontenttype": ["type": ["string", "null"], "minLength": 1, "maxLength": 255],
                "dataschema": ["type": ["string", "null"], "format": "uri"],
                "data": ["description": "The data: JSON, or text if `datacontenttype` does not say JSON."],
                "data_base64": [
                    "type": ["string", "null"], "contentEncoding": "base64", "description": "The data in base64.",
                ],
            ],
            example: CloudEvent.example
        )
        .adding([
            OrderedJSON.Member(name: "additionalProperties", value: ["type": ["string", "integer", "boolean", "null"]])
        ])
    )
}

extension EventDocument {
    static let receiptExample: OrderedJSON = [
        "id": "01jd7m3x8qz4-41", "topic": "orders.created", "time": "2026-11-22T10:15:00.123Z",
    ]

    static let example: OrderedJSON = [
        "id": "01jd7m3x8qz4-41", "topic": "orders.created", "type": "created", "time": "2026-11-22T10:15:00.123Z",
        "contentType": "application/json", "data": ["total": 12],
    ]
}

extension CloudEvent {
    static let example: OrderedJSON = [
        "specversion": "1.0", "id": "17", "source": "/shop", "type": "created", "time": "2026-11-22T10:15:00Z",
        "datacontenttype": "application/json", "data": ["total": 12],
    ]
}
