extension Schema {
    /// What every error is answered with.
    static let problem = Schema(
        "Problem",
        .object(
            "A problem document (RFC 9457).",
            required: [
                "type": .text(
                    "Where the error is explained: `/errors#` and the code, below the public URL if there is one."
                ),
                "title": .text("The error in general."),
                "status": .integer(400...599, "The status of the answer."),
                "code": .text("Stable, in kebab case: what programs go by."),
                "detail": .text("What went wrong this time, and what to do about it."),
                "instance": .text("The request, by its `Request-Id`, as the hub's log has it."),
            ],
            optional: [
                "pointer": .text("The member of the body that is to blame, as a JSON Pointer (RFC 6901)."),
                "parameter": .text("The query parameter or header field that is to blame."),
                "right": .choice(["publish", "subscribe", "manage"], "The right that the credential lacks."),
                "topic": .text("The topic or pattern on which it lacks the right."),
            ]
        )
    )
}
