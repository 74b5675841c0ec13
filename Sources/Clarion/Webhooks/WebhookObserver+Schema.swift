import Webhooks

extension Schema {
    /// ``WebhookObserver``, and ``UnreadableWebhook``, which has only what is required.
    static let webhook = Schema(
        "Webhook",
        .object(
            "A service behind a URL.",
            required: common(.webhook).adding([
                .init(name: "types", value: WebhookSpecification.optional["types"] ?? [:]),
                .init(name: "state", value: .choice(["active", "paused", "disabled"])),
                .init(name: "stats", value: .schema(webhookStats)),
            ]),
            optional: .object(
                WebhookSpecification.required.adding(WebhookSpecification.optional.members).members
                    .filter { $0.name != "topics" && $0.name != "types" }
            )
            .adding([
                .init(
                    name: "reason",
                    value: .choice(
                        ["gone", "failing", UnreadableWebhook.reason],
                        "Why it is disabled: it answered 410, it failed too long."
                    )
                ),
                .init(
                    name: "allowedRate",
                    value: .nullable(.count("How many deliveries a minute its endpoint consents to."))
                ),
                .init(
                    name: "publicKey",
                    value: .text("`whpk_` and base64: what receivers verify Ed25519 signatures with.")
                ),
                .init(name: "previousSecretUntil", value: .time("How long the secret that was replaced signs, too.")),
                .init(name: "createdBy", value: .text("The name of the credential that registered it.")),
                .init(
                    name: "lastFailure",
                    value: .choice(FailureClass.allCases.map(\.rawValue), "How the last attempt failed.")
                ),
                .init(name: "failingSince", value: .time("When the first attempt failed since the last success.")),
                .init(
                    name: "warnings",
                    value: [
                        "type": "array", "items": .schema(webhookWarning), "description": "Why nothing will arrive.",
                    ]
                ),
            ]),
            example: WebhookObserver.example
        )
    )

    static let webhookStats = Schema(
        "WebhookStats",
        .object(
            required: [
                "delivered": .count("Deliveries that arrived."),
                "failed": .count("Attempts that failed."),
                "pending": .count("Deliveries that wait."),
                "deadLetters": .count("Deliveries whose attempts ran out."),
                "lastStatus": .nullable(.integer(100...999, "Of the last attempt.")),
                "lastAttemptAt": .nullable(.time()),
            ]
        )
    )

    static let webhookWarning = Schema(
        "WebhookWarning",
        .object(
            required: [
                "code": .choice(["egress-blocked", UnreadableWebhook.reason]),
                "detail": .text("What is wrong, and what to do about it."),
                "pointer": .text("The member to blame, as a JSON Pointer."),
            ]
        )
    )
}

extension WebhookObserver {
    static let example: OrderedJSON = [
        "id": "billing", "kind": "webhook", "topics": ["orders.*"], "url": "https://example.com/hook",
        "types": ["created"], "format": "raw", "headers": ["X-Team": "blue"], "description": "Bills what is ordered",
        "start": "latest", "ordered": false, "maxInFlight": 16, "ratePerSecond": .null, "enabled": true,
        "handshake": false, "signature": "hmac-sha256", "state": "active", "createdAt": "2026-11-22T10:15:00.123Z",
        "stats": [
            "delivered": 40, "failed": 2, "pending": 1, "deadLetters": 0, "lastStatus": 204,
            "lastAttemptAt": "2026-11-22T10:20:00.123Z",
        ],
    ]

    /// Shown once, to who has registered it or rotated its secret.
    static let exampleWithSecret = example.adding([
        .init(name: "secret", value: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    ])
}
