import EventLog
import MicroHTTP

extension Operation {
    static let listObservers = Operation(
        id: "listObservers",
        section: .observers,
        summary: "List observers",
        details: "Those that one may manage, oldest first; of a cluster, those of all nodes.",
        parameters: ListPage.parameters + [
            .query(
                "topic",
                "Only those that are registered for exactly this topic or pattern.",
                .schema(.topicPattern),
                example: "orders.*",
                errors: ["topic-invalid", "pattern-invalid"]
            ),
            .query(
                "kind",
                "Only those of this kind.",
                .choice(ObserverKind.allCases.map(\.rawValue)),
                example: "webhook"
            ),
        ],
        answers: [
            .json(
                .ok,
                "A page of observers.",
                .schema(.observerPage),
                example: ["observers": [WebhookObserver.example], "next": .null]
            )
        ]
    )

    static let createObserver = Operation(
        id: "createObserver",
        section: .observers,
        summary: "Register a webhook",
        details: "Needs the right `subscribe` on what it hears, too.",
        parameters: Preconditions.parameters,
        body: registration,
        answers: [
            .json(
                .created,
                "The observer, with its secret: it is shown only here, and when it is rotated.",
                headers: [.location, .entityTag],
                .schema(.webhook),
                example: WebhookObserver.exampleWithSecret
            )
        ],
        errors: saving + ["precondition-failed"]
    )

    static let readObserver = Operation(
        id: "readObserver",
        section: .observers,
        summary: "Read an observer",
        parameters: [.observer],
        answers: [
            .json(
                .ok,
                "The observer. A webhook has an `ETag`.",
                headers: [.entityTag],
                .schema(.observer),
                example: WebhookObserver.example
            )
        ],
        errors: ["observer-unknown"]
    )

    static let replaceObserver = Operation(
        id: "replaceObserver",
        section: .observers,
        summary: "Register or replace a webhook of your own id",
        details: "One registration per id: the last wins. A secret that is not given stays. Needs `subscribe`, too.",
        parameters: [.observer] + Preconditions.parameters,
        body: registration,
        answers: [
            .json(
                .created,
                "It was registered. The secret is shown only here.",
                headers: [.location, .entityTag],
                .schema(.webhook),
                example: WebhookObserver.exampleWithSecret
            ),
            replaced,
        ],
        errors: saving + ["observer-changed", "observer-kind"]
    )

    static let changeObserver = Operation(
        id: "changeObserver",
        section: .observers,
        summary: "Change a webhook",
        details: "A JSON merge patch. `{\"enabled\": true}` enables one that was disabled. Needs `subscribe`, too.",
        parameters: [.observer] + Preconditions.parameters,
        body: changes,
        answers: [replaced],
        errors: saving + ["observer-changed", "observer-kind", "observer-unknown", "observer-unreadable"]
    )

    static let rotateSecret = Operation(
        id: "rotateSecret",
        section: .observers,
        summary: "Give a webhook another secret",
        details: "The one that is replaced signs for 24 hours more.",
        parameters: [.observer] + Preconditions.parameters,
        body: .json(
            "A secret of your own; without one the hub makes it.",
            .secretRotation,
            isRequired: false,
            examples: ["made-by-the-hub": [:], "own": ["secret": "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]]
        ),
        answers: [
            .json(
                .ok,
                "The observer, with its new secret.",
                headers: [.entityTag],
                .schema(.webhook),
                example: WebhookObserver.exampleWithSecret
            )
        ],
        errors: saving + ["observer-changed", "observer-kind", "observer-unknown", "observer-unreadable"]
    )

    static let deleteObserver = Operation(
        id: "deleteObserver",
        section: .observers,
        summary: "Unregister an observer",
        details: "A webhook is deleted, a stream ends, an object hears nothing more.",
        parameters: [.observer] + Preconditions.parameters,
        answers: [Answer(.noContent, "Gone.")],
        errors: ["observer-unknown", "observer-changed", "storage-full"]
    )

    static let deleteObservers = Operation(
        id: "deleteObservers",
        section: .observers,
        summary: "Unregister all observers of a topic or pattern",
        details: "Those that are registered for exactly that one, and that one may manage.",
        parameters: [.pattern] + Preconditions.parameters,
        answers: [
            Answer(
                .ok,
                "How many there were.",
                Content(
                    ContentType.json,
                    .object(required: ["unregistered": .count()], optional: .unreachable),
                    example: ["unregistered": 3]
                )
            )
        ],
        errors: ["precondition-failed", "storage-full"]
    )

    private static let registration = Body.webhook(
        .json(
            "The webhook. Only `topics` and `url` are required.",
            .webhookSpecification,
            examples: ["webhook": WebhookSpecification.example, "least": WebhookSpecification.least]
        )
    )

    private static let changes = Body.webhook(
        .json(
            "What is to change.",
            .webhookChanges,
            types: ContentType.patches,
            examples: ["enable": ["enabled": true], "types": ["types": .null]]
        )
    )

    private static let replaced = Answer.json(
        .ok,
        "The observer; with its secret if that is new.",
        headers: [.entityTag],
        .schema(.webhook),
        example: WebhookObserver.example
    )

    /// What saving a webhook may end with.
    private static let saving: [ErrorCode] = [
        "handshake-failed", "endpoint-busy", "limit-reached", "storage-full", "secret-invalid",
    ]
}

extension Operation.Body {
    /// A body that tells of a webhook.
    fileprivate static func webhook(_ body: Operation.Body) -> Operation.Body {
        var body = body
        body.errors += [
            "topic-invalid", "pattern-invalid", "url-invalid", "header-invalid", "secret-invalid", "right-missing",
        ]
        return body
    }
}

extension WebhookSpecification {
    fileprivate static let least: OrderedJSON = ["topics": ["orders.*"], "url": "https://example.com/hook"]
}
