extension Schema {
    /// What ``HubObserver/document()`` makes.
    static let observer = Schema(
        "Observer",
        [
            "oneOf": [.schema(webhook), .schema(stream), .schema(object)],
            "discriminator": [
                "propertyName": "kind",
                "mapping": [
                    "webhook": "#/components/schemas/Webhook", "stream": "#/components/schemas/Stream",
                    "object": "#/components/schemas/ProcessObject",
                ],
            ],
        ]
    )

    static let observerPage = Schema(
        "ObserverPage",
        .page(of: "observers", observer, next: "For `cursor` of the next page", optional: .unreachable)
    )

    static let stream = Schema(
        "Stream",
        .object(
            "A client of server-sent events.",
            required: common(.stream).adding([
                .init(name: "state", value: .constant("active")),
                .init(
                    name: "remoteAddress",
                    value: .nullable(.text("Where it is read, with a port where that is known."))
                ),
                .init(name: "connectedAt", value: .time()),
                .init(name: "lastEventId", value: .text("The last event that was written, or waits to be.")),
                .init(name: "queuedBytes", value: .count("How much waits to be written.")),
            ]),
            example: [
                "id": "str_7h2kq9v0w3x5y8za", "kind": "stream", "topics": ["orders.*"],
                "createdAt": "2026-11-22T10:15:00.123Z", "state": "active", "remoteAddress": "203.0.113.7:50724",
                "connectedAt": "2026-11-22T10:15:00.123Z", "lastEventId": "01jd7m3x8qz4-41", "queuedBytes": 0,
            ]
        )
    )

    static let object = Schema(
        "ProcessObject",
        .object(
            "An object of the process, or a mere closure.",
            required: common(.object).adding([
                .init(name: "state", value: .constant("active")),
                .init(name: "type", value: .nullable(.text("The name of the object's type."))),
            ]),
            example: [
                "id": "obj_7h2kq9v0w3x5y8za", "kind": "object", "topics": ["orders.*"],
                "createdAt": "2026-11-22T10:15:00.123Z", "state": "active", "type": "OrderCounter",
            ]
        )
    )

    /// ``HubObserver/commonMembers``, but for the state: each kind has its own.
    static func common(_ kind: ObserverKind) -> OrderedJSON {
        [
            "id": .schema(observerID), "kind": .constant(kind.rawValue),
            "topics": ["type": "array", "items": .schema(topicPattern)],
            "createdAt": .time("When it was registered."),
        ]
    }
}
