import EventLog
import Webhooks

extension Schema {
    /// ``DeliveryDocument/members(_:)``
    static let delivery = Schema(
        "Delivery",
        .object(
            "An event on its way to a webhook.",
            required: DeliveryDocument.schema,
            example: DeliveryDocument.example
        )
    )

    static let deliveryPage = Schema(
        "DeliveryPage",
        .page(of: "deliveries", delivery, next: "For `cursor` of the next page")
    )

    static let deliveryWithAttempts = Schema(
        "DeliveryWithAttempts",
        .object(
            "An event on its way to a webhook, with the last attempts to deliver it.",
            required: DeliveryDocument.schema.adding([
                .init(
                    name: "attemptLog",
                    value: ["type": "array", "items": .schema(attempt), "description": "The last 32, oldest first."]
                )
            ]),
            example: DeliveryDocument.exampleWithAttempts
        )
    )

    /// ``DeliveryDocument/attempt(_:)``
    static let attempt = Schema(
        "Attempt",
        .object("An attempt to deliver an event.", required: DeliveryDocument.attemptSchema)
    )

    /// ``DeliveryDocument/test(_:_:)``
    static let testAttempt = Schema(
        "TestAttempt",
        .object(
            "An attempt to deliver an event that is in no log.",
            required: DeliveryDocument.attemptSchema.adding([
                .init(name: "event", value: .text("The `webhook-id` of the attempt.")),
                .init(name: "type", value: .constant(WebhookRegistry.testType)),
            ])
        )
    )

    static let redeliveryStart = Schema(
        "RedeliveryStart",
        .object(
            required: [
                "since": [
                    "type": "string", "minLength": 1, "description": .string("\(RedeliveryStart.forms)."),
                    "examples": ["1h", "2026-11-22T10:15:00Z", "01jd7m3x8qz4-41", "earliest"],
                ]
            ],
            example: ["since": "1h"]
        )
        .adding([.closed])
    )

    /// The classes of failed attempts, why an observer that is disabled gets nothing, and why a node of a cluster delivers none.
    static let failures =
        FailureClass.allCases.map(\.rawValue) + [
            "gone", "failing", UnreadableWebhook.reason, DeliveryOutcome.eventGone,
        ]
}

extension DeliveryDocument {
    static let schema: OrderedJSON = [
        "event": .schema(.eventID),
        "topic": .schema(.topicName),
        "type": .nullable(.text("The event's type.")),
        "state": .choice(DeliveryState.allCases.map(\.rawValue)),
        "attempts": .count("How many were made since it was last begun."),
        "status": .nullable(.integer(100...999, "What the last attempt was answered with.")),
        "failure": .nullable(.choice(Schema.failures, "How the last attempt failed, or why it is a dead letter.")),
        "nextAttemptAt": .nullable(.time("Null unless it is pending.")),
        "attemptedAt": .nullable(.time("When the last attempt ended.")),
        "createdAt": .time(),
    ]

    static let attemptSchema: OrderedJSON = [
        "number": .count("From 1; a delivery that is made again begins anew."),
        "at": .time("When it ended."),
        "durationMs": .count(),
        "connectedMs": milliseconds("the connection stood"),
        "securedMs": milliseconds("TLS stood"),
        "answeredMs": milliseconds("the answer began"),
        "status": .nullable(.integer(100...999, "What it was answered with.")),
        "failure": .nullable(.choice(Schema.failures, "Null if it arrived.")),
        "message": .nullable(.text("The failure in words.")),
        "response": .text("The beginning of the answer's body, at most 1 KiB."),
    ]

    private static func milliseconds(_ event: String) -> OrderedJSON {
        [
            "type": ["number", "null"], "minimum": 0,
            "description": .string(
                "How long after its beginning \(event); null for what was not reached or not needed."
            ),
        ]
    }

    static let example: OrderedJSON = [
        "event": "01jd7m3x8qz4-41", "topic": "orders.created", "type": "created", "state": "pending", "attempts": 1,
        "status": 503, "failure": "status", "nextAttemptAt": "2026-11-22T10:20:05.123Z",
        "attemptedAt": "2026-11-22T10:20:00.123Z", "createdAt": "2026-11-22T10:20:00.101Z",
    ]

    static let exampleWithAttempts = example.adding([
        .init(name: "attemptLog", value: [attemptExample])
    ])

    static let attemptExample: OrderedJSON = [
        "number": 1, "at": "2026-11-22T10:20:00.123Z", "durationMs": 12, "connectedMs": 0.31, "securedMs": .null,
        "answeredMs": 11.87, "status": 503, "failure": "status", "message": "the endpoint answered 503",
        "response": "busy",
    ]

    static let testExample = attemptExample.adding([
        .init(name: "event", value: "test_7h2kq9v0w3x5y8za"),
        .init(name: "type", value: .string(WebhookRegistry.testType)),
    ])
}
