import MicroHTTP

extension Operation {
    static let listTopics = Operation(
        id: "listTopics",
        section: .topics,
        summary: "List topics",
        details: "Those that one may hear, in the order of their names' bytes.",
        parameters: ListPage.parameters + [
            .query("prefix", "Only names that begin so.", ["type": "string"], example: "orders.")
        ],
        answers: [
            .json(
                .ok,
                "A page of topics.",
                .schema(.topicPage),
                example: ["topics": [TopicDocument.example], "next": .null]
            )
        ]
    )

    static let readTopic = Operation(
        id: "readTopic",
        section: .topics,
        summary: "Read a topic",
        parameters: [.topic],
        answers: [topic],
        errors: ["topic-unknown"]
    )

    static let setTopic = Operation(
        id: "setTopic",
        section: .topics,
        summary: "Set how much of a topic is kept",
        details: "Replaces the topic's settings. It need not have events.",
        parameters: [.topic] + Preconditions.parameters,
        body: .json(
            "The settings. `{\"retention\": null}` takes all of its own away.",
            .topicSettings,
            examples: [
                "bounded": ["retention": ["events": 1000, "age": "7d", "bytes": "1MiB"]],
                "by-default": ["retention": .null],
            ]
        ),
        answers: [topic],
        errors: ["precondition-failed", "limit-reached", "storage-full"]
    )

    static let deleteTopic = Operation(
        id: "deleteTopic",
        section: .topics,
        summary: "Delete a topic",
        details: """
            Its events with their deliveries are gone at once, and so are its settings and idempotency keys. Streams that \
            follow nothing else end.
            """,
        parameters: [.topic] + Preconditions.parameters,
        answers: [Answer(.noContent, "Gone.")],
        errors: ["topic-unknown", "topic-reserved", "precondition-failed", "storage-full"]
    )

    private static let topic = Answer.json(.ok, "The topic.", .schema(.topic), example: TopicDocument.example)
}
