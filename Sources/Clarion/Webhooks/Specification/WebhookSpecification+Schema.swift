import Webhooks

extension Schema {
    /// ``WebhookSpecification``
    static let webhookSpecification = Schema(
        "WebhookSpecification",
        .object(
            "What a webhook is registered with. Members that are null are taken as left out.",
            required: WebhookSpecification.required,
            optional: WebhookSpecification.optional,
            example: WebhookSpecification.example
        )
        .adding([.closed])
    )

    /// What `PATCH` takes.
    static let webhookChanges = Schema(
        "WebhookChanges",
        .object(
            "A JSON merge patch (RFC 7396) of what the webhook was registered with: null takes a member away.",
            required: [:],
            optional: WebhookSpecification.required.adding(WebhookSpecification.optional.members)
        )
        .adding([.closed])
    )

    static let secretRotation = Schema(
        "SecretRotation",
        .object(required: [:], optional: ["secret": WebhookSpecification.secret]).adding([.closed])
    )
}

extension WebhookSpecification {
    static let required: OrderedJSON = [
        "topics": [
            "type": "array", "items": .schema(.topicPattern), "minItems": 1, "maxItems": .integer(maximumTopics),
            "description": "What it hears.",
        ],
        "url": [
            "type": "string", "format": "uri", "maxLength": 8192, "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
            "description": "Where events are delivered: `http` or `https`, without user information.",
        ],
    ]

    static let optional: OrderedJSON = [
        "types": [
            "type": ["array", "null"], "items": ["type": "string", "minLength": 1, "maxLength": 128],
            "maxItems": .integer(maximumTypes), "description": "The types of events that it gets; none for all.",
        ],
        "format": .nullable(.choice(Endpoint.Format.allCases.map(\.rawValue), "What the body of a delivery is.")),
        "headers": [
            "type": ["object", "null"], "additionalProperties": ["type": "string"],
            "maxProperties": .integer(maximumHeaders),
            "description": "Go with every request. Credentials among them are shown as `[redacted]`.",
        ],
        "description": .nullable(["type": "string", "maxLength": .integer(maximumDescription)]),
        "start": .nullable(.choice(["latest"], "It gets what is posted from now on.")),
        "ordered": .nullable(.flag("One delivery at a time, in the log's order: one that fails holds up the rest.")),
        "maxInFlight": .nullable(.integer(Endpoint.inFlightBounds, "The most attempts at once.")),
        "ratePerSecond": [
            "type": ["number", "null"], "minimum": 0.001, "maximum": 1_000_000,
            "description": "The most attempts a second; null for any number.",
        ],
        "enabled": .nullable(.flag("False while it is to get nothing: deliveries wait.")),
        "handshake": .nullable(.flag("The endpoint is asked for its consent before anything is delivered to it.")),
        "signature": .nullable(.choice(SigningSecret.Scheme.allCases.map(\.rawValue), "How deliveries are signed.")),
        "secret": secret,
    ]

    static let secret: OrderedJSON = [
        // No pattern: in a `oneOf`, validators that openapi-generator makes for Go know none beside null.
        "type": ["string", "null"],
        "description":
            "A secret of the client's own: `whsec_` or `whsk_` and base64. The hub makes one unless it is given.",
    ]

    static let example: OrderedJSON = [
        "topics": ["orders.*"], "url": "https://example.com/hook", "types": ["created"], "format": "raw",
        "headers": ["X-Team": "blue"], "description": "Bills what is ordered", "start": "latest", "ordered": false,
        "maxInFlight": 16, "ratePerSecond": .null, "enabled": true, "handshake": false, "signature": "hmac-sha256",
    ]
}
