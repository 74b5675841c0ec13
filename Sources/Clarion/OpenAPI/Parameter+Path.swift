/// The segments of paths.
extension Operation.Parameter {
    static let topic = path(
        "topic",
        "The topic's name, percent-encoded into one segment.",
        .schema(.topicName),
        example: "orders.created",
        errors: ["topic-invalid", "pattern-invalid"]
    )

    static let pattern = path(
        "topic",
        "A topic, or a pattern of topics: `*` is one segment, `**` at the end one or more.",
        .schema(.topicPattern),
        example: "orders.created",
        errors: ["topic-invalid", "pattern-invalid"]
    )

    /// The id of an event of a topic.
    static let event = path(
        "id",
        "The event's id.",
        .schema(.eventID),
        example: "01jd7m3x8qz4-41",
        errors: ["event-unknown"]
    )

    static let observer = path(
        "id",
        "The observer's id.",
        .schema(.observerID),
        example: "billing",
        errors: ["observer-id-invalid"]
    )

    /// The event that a delivery is of.
    static let deliveredEvent = path(
        "event",
        "The id of the event that is delivered.",
        .schema(.eventID),
        example: "01jd7m3x8qz4-41",
        errors: ["delivery-unknown"]
    )
}
