import EventLog
import MicroHTTP

extension Operation {
    static let listDeliveries = Operation(
        id: "listDeliveries",
        section: .deliveries,
        summary: "List a webhook's deliveries",
        details: "Those of the newest events first.",
        parameters: [.observer] + ListPage.parameters + [
            .query(
                "state",
                "Only those in this state.",
                .choice(DeliveryState.allCases.map(\.rawValue)),
                example: "dead"
            )
        ],
        answers: [
            .json(
                .ok,
                "A page of deliveries.",
                .schema(.deliveryPage),
                example: ["deliveries": [DeliveryDocument.example], "next": .null]
            )
        ],
        errors: webhook
    )

    static let readDelivery = Operation(
        id: "readDelivery",
        section: .deliveries,
        summary: "Read a delivery and its attempts",
        parameters: [.observer, .deliveredEvent],
        answers: [delivery(.ok, "The delivery.")],
        errors: webhook
    )

    static let redeliver = Operation(
        id: "redeliver",
        section: .deliveries,
        summary: "Deliver an event again",
        details: "Whatever became of it, its attempts count from 1 again. A body is not needed.",
        parameters: [.observer, .deliveredEvent] + Preconditions.parameters,
        body: nothing,
        answers: [delivery(.accepted, "The delivery, which is due now.")],
        errors: again + ["event-unknown"]
    )

    static let recover = Operation(
        id: "recover",
        section: .deliveries,
        summary: "Deliver dead letters again",
        details: "Those of events since then, oldest first.",
        parameters: [.observer] + Preconditions.parameters,
        body: start,
        answers: [count("recovered")],
        errors: inSteps
    )

    static let replay = Operation(
        id: "replay",
        section: .deliveries,
        summary: "Deliver everything again",
        details: "Everything since then that is kept and that its topics and types match, also what arrived.",
        parameters: [.observer] + Preconditions.parameters,
        body: start,
        answers: [count("replayed")],
        errors: inSteps
    )

    static let testObserver = Operation(
        id: "testObserver",
        section: .deliveries,
        summary: "Try a webhook out",
        details: """
            Makes one attempt now to deliver an event of the type `clarion.test`, which is in no log and counts nowhere. A body \
            is not needed.
            """,
        parameters: [.observer] + Preconditions.parameters,
        body: nothing,
        answers: [
            .json(
                .ok,
                "The attempt, whether it arrived or not.",
                .schema(.testAttempt),
                example: DeliveryDocument.testExample
            )
        ],
        errors: webhook + ["precondition-failed", "endpoint-busy"]
    )

    private static func delivery(_ status: Status, _ description: String) -> Answer {
        .json(status, description, .schema(.deliveryWithAttempts), example: DeliveryDocument.exampleWithAttempts)
    }

    private static func count(_ name: String) -> Answer {
        .json(
            .accepted,
            "How many they are.",
            .object(required: .object([.init(name: name, value: .count())])),
            example: .object([.init(name: name, value: 17)])
        )
    }

    private static let start = Body.json("From when on.", .redeliveryStart, examples: ["duration": ["since": "1h"]])

    private static let nothing = Body.json(
        "An object without members, or nothing.",
        Schema("NoMembers", .object(required: [:]).adding([.closed])),
        isRequired: false,
        examples: ["nothing": [:]]
    )

    /// What asking for a webhook's deliveries may end with.
    private static let webhook: [ErrorCode] = ["observer-unknown", "observer-kind", "observer-unreadable"]

    /// What delivering again may end with.
    private static let again: [ErrorCode] =
        webhook + ["observer-disabled", "precondition-failed", "storage-full"]

    /// What delivering much again may end with.
    private static let inSteps: [ErrorCode] = again + ["since-invalid", "redelivery-busy", "client-gone"]
}
