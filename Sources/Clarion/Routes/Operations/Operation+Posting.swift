extension Operation {
    static let postEvents = Operation(
        id: "postEvents",
        section: .events,
        summary: "Post events",
        details: """
            The body is the data of one event, of any content type. As `application/x-ndjson` every line is the data of one, \
            and as `application/cloudevents-batch+json` every element is one: all of them are stored, or none. The answer \
            comes after the commit.
            """,
        parameters: [.topic] + Post.parameters,
        body: Post.body(allowsBatches: true),
        answers: [
            Answer(.created, "Stored.", headers: [.location], receiptOrReceipts),
            Answer(
                .ok,
                "Nothing was stored: all of it had been before, or there was nothing in it.",
                headers: [.location, .idempotentReplayed],
                receiptOrReceipts
            ),
        ],
        errors: Post.errors + ["batch-too-large", "precondition-failed"]
    )

    static let putValue = Operation(
        id: "putValue",
        section: .values,
        summary: "Set a topic's value",
        details: """
            Posts one event. With `If-Match` or `If-None-Match` it is compare-and-set: of several that were given the same \
            `ETag`, one is stored.
            """,
        parameters: [.topic] + Post.parameters,
        body: Post.body(allowsBatches: false),
        answers: [
            Answer(.created, "Stored.", headers: [.location, .entityTag], receipt),
            Answer(
                .ok,
                "Nothing was stored: it had been before.",
                headers: [.location, .entityTag, .idempotentReplayed],
                receipt
            ),
        ],
        errors: Post.errors + ["value-changed"]
    )

    private static let receipt = Content(ContentType.json, .schema(.receipt), example: EventDocument.receiptExample)

    /// Of several events there is no `Location`.
    private static let receiptOrReceipts = Content(
        ContentType.json,
        ["oneOf": [.schema(.receipt), .schema(.receipts)]],
        examples: [
            "event": EventDocument.receiptExample,
            "events": ["events": [EventDocument.receiptExample]],
        ]
    )
}

extension Post {
    /// What posts carry.
    ///
    /// - Parameter allowsBatches: whether it may be several events.
    fileprivate static func body(allowsBatches: Bool) -> Operation.Body {
        let one = [
            Operation.Content(ContentType.json, [:], example: ["total": 12]),
            Operation.Content("text/plain", ["type": "string"], example: "hello"),
            Operation.Content("application/octet-stream", [:], example: "any bytes"),
            Operation.Content(CloudEvent.mediaType, .schema(.cloudEvent), example: CloudEvent.example),
            Operation.Content("*/*", [:], example: "data of any other type"),
        ]
        let many = [
            Operation.Content(
                "application/x-ndjson",
                [
                    "type": "string",
                    "description": "A JSON document on every line, `{\"celsius\": 21.5}`; blank lines are passed over.",
                    "contentMediaType": "application/x-ndjson",
                ],
                // Tools that send the examples of documents cannot send lines.
                examples: [:]
            ),
            Operation.Content(
                "application/cloudevents-batch+json",
                ["type": "array", "items": .schema(.cloudEvent), "maxItems": .integer(maximumEvents)],
                example: [CloudEvent.example]
            ),
        ]
        return Operation.Body(
            description: "The data, or a CloudEvent. Empty is legal.",
            isRequired: false,
            contents: allowsBatches ? one + many : one,
            errors: ["body-invalid", "cloudevent-invalid", "media-type-unsupported", "info-mismatch"]
        )
    }

    /// What may be wrong with any post beside its parameters and its body.
    fileprivate static let errors: [Operation.ErrorCode] = [
        "topic-reserved", "event-type-invalid", "idempotency-conflict", "limit-reached", "storage-full",
    ]
}
