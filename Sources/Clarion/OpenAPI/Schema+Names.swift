/// The names of things. Their patterns are read alike by the regular expressions of all languages, so they leave out the control
/// characters beyond ASCII: Ruby would not load `\x80`, nor PHP `\u0080`.
extension Schema {
    static let topicName = Schema(
        "TopicName",
        [
            "type": "string",
            "description": """
            1 to 255 bytes of UTF-8 without control characters, white space or `*`, and neither `.` nor `..`. Dots \
            separate segments.
            """,
            "minLength": 1, "maxLength": 255, "pattern": .string(#"^[^\s*\x00-\x1f\x7f]+$"#),
            "examples": ["orders.created"],
        ]
    )

    static let topicPattern = Schema(
        "TopicPattern",
        [
            "type": "string",
            "description":
                "A topic in which a segment may be `*`, which is exactly one, and the last `**`, one or more.",
            "minLength": 1, "maxLength": 255, "pattern": .string(#"^[^\s\x00-\x1f\x7f]+$"#),
            "examples": ["orders.*", "orders.**"],
        ]
    )

    static let eventID = Schema(
        "EventID",
        [
            "type": "string", "description": "Opaque, unique in the log, ordered only by the log.",
            "minLength": 1, "maxLength": 64, "pattern": .string(#"^[!-~]+$"#), "examples": ["01jd7m3x8qz4-41"],
        ]
    )

    static let observerID = Schema(
        "ObserverID",
        [
            "type": "string", "description": "The client's own choice, or one that the hub made.",
            "pattern": .string(#"^[A-Za-z0-9_-]{1,64}$"#), "examples": ["billing", "whk_7h2kq9v0w3x5y8za"],
        ]
    )
}
