extension Post {
    /// What a request says of its post beside the body. The header fields win over the query.
    static let parameters: [Operation.Parameter] =
        [type(.query), type(.header), key(.query), key(.header)]
        + [
            .header(
                "traceparent",
                "The trace that the event is of (W3C Trace Context); kept with it. What is none is passed over.",
                ["type": "string"],
                example: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
            )
        ] + cloudEvent + Preconditions.parameters

    private static func type(_ place: Operation.Parameter.Place) -> Operation.Parameter {
        Operation.Parameter(
            place: place,
            name: place == .query ? "type" : "Event-Type",
            description: "The event's type: the `event:` of streams.",
            schema: ["type": "string", "minLength": 1, "maxLength": 128, "pattern": .string(#"^[^\r\n\x00]+$"#)],
            example: "created",
            errors: ["event-type-invalid", "parameter-invalid"]
        )
    }

    private static func key(_ place: Operation.Parameter.Place) -> Operation.Parameter {
        Operation.Parameter(
            place: place,
            name: place == .query ? "key" : "Idempotency-Key",
            description: "The same key on the same topic within 24 hours is the same post: nothing is stored again.",
            schema: ["type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"],
            example: "order-17-paid",
            errors: ["idempotency-key-invalid", "idempotency-conflict", "parameter-invalid"]
        )
    }

    /// The attributes of a CloudEvent whose data is the body. An extension attribute has a field of its name, too.
    private static let cloudEvent = [
        attribute("specversion", "With it the body is the data of a CloudEvent.", "1.0"),
        attribute("id", "Unique together with the source: the two are the post's key.", "17"),
        attribute("source", "Where the event happened: a URI reference.", "/shop"),
        attribute("type", "The event's type.", "created"),
        attribute("subject", "What the event is about.", "orders/17"),
        attribute("time", "When it happened: RFC 3339.", "2026-11-22T10:15:00Z"),
        attribute("dataschema", "What the data keeps to: a URI.", "https://example.com/order.json"),
    ]

    private static func attribute(_ name: String, _ description: String, _ example: String) -> Operation.Parameter {
        .header(
            "ce-\(name)",
            "\(description) Percent-encoded. Any other `ce-` field is an extension attribute.",
            ["type": "string"],
            example: .string(example),
            errors: ["cloudevent-invalid"]
        )
    }
}
