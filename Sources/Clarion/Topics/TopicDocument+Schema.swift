import EventLog

extension Schema {
    /// ``TopicDocument``
    static let topic = Schema(
        "Topic",
        .object(
            "A topic that has events or settings.",
            required: [
                "name": .schema(topicName),
                "events": .count("How many are kept."),
                "bytes": .count("Of their data."),
                "firstId": .nullable(.text("The oldest event that is kept.")),
                "lastId": .nullable(.text("The newest event.")),
                "observers": .object(
                    "How many hear it, by its name or a pattern, each counted once.",
                    required: .object(
                        ObserverKind.allCases.map { OrderedJSON.Member(name: $0.rawValue, value: .count()) }
                    )
                ),
                "retention": .nullable(.schema(retention)),
            ],
            example: TopicDocument.example
        )
    )

    static let topicPage = Schema(
        "TopicPage",
        .page(of: "topics", topic, next: "For `cursor` of the next page", optional: .unreachable)
    )

    /// `Retention`
    static let retention = Schema(
        "Retention",
        .object(
            "Bounds of what is kept. What is null or left out is bounded by the hub's default.",
            required: [:],
            optional: [
                "events": .nullable(.integer(Retention.eventBounds, "The most events.")),
                "age": [
                    "type": ["string", "null"], "pattern": .string(Since.durationPattern),
                    "description": "The longest time, from `1s` to `36500d`.", "examples": ["7d", "1h30m"],
                ],
                "bytes": [
                    "description": "The most bytes of data: a number, or text such as `1MiB`.",
                    "anyOf": [
                        .integer(Retention.byteBounds), ["type": "string", "pattern": "^[0-9]{1,9}(KiB|MiB|GiB)$"],
                        ["type": "null"],
                    ],
                ],
            ]
        )
        .adding([.closed])
    )

    /// What `PUT /topics/{topic}` takes.
    static let topicSettings = Schema(
        "TopicSettings",
        .object(required: [:], optional: ["retention": .nullable(.schema(retention))]).adding([.closed])
    )
}

extension TopicDocument {
    static let example: OrderedJSON = [
        "name": "orders.created", "events": 1000, "bytes": 52100, "firstId": "01jd7m3x8qz4-1",
        "lastId": "01jd7m3x8qz4-1000", "observers": ["stream": 3, "webhook": 1, "object": 0],
        "retention": ["events": 1000, "age": "7d", "bytes": .null],
    ]
}
