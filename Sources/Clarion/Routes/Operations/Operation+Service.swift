import MicroHTTP

extension Operation {
    static let checkHealth = Operation(
        id: "checkHealth",
        section: .service,
        summary: "Whether the process is alive",
        answers: [.text("Alive.", "ok\n")]
    )

    static let checkReadiness = Operation(
        id: "checkReadiness",
        section: .service,
        summary: "Whether the hub takes posts",
        details: "It writes to the log to see that. Otherwise the code is the one that a post would get.",
        answers: [.text("It does.", "ready\n")],
        errors: [
            ErrorCode("storage-full", status: 503), ErrorCode("log-unavailable"), ErrorCode("internal", status: 503),
        ]
    )

    static let readMetrics = Operation(
        id: "readMetrics",
        section: .service,
        summary: "What the hub counts, for Prometheus",
        details: "The text format, version 0.0.4. The names are in docs/operating.md.",
        answers: [
            Answer(
                .ok,
                "The counters and gauges of this moment.",
                headers: [.cacheControl],
                Content("text/plain", .text("Lines of Prometheus."), example: "clarion_streams 3\n")
            )
        ]
    )

    static let readErrors = Operation(
        id: "readErrors",
        section: .service,
        summary: "What each error means, and what to do about it",
        details: "Where the `type` of every problem document leads.",
        answers: [
            Answer(
                .ok,
                "A page for people.",
                headers: [.vary] + Header.page,
                Content("text/html", .text("For browsers."), example: "<!doctype html>…"),
                Content("text/plain", .text("For who prefers that."), example: "target-invalid (400)\n    …")
            )
        ]
    )

    static let openConsole = Operation(
        id: "openConsole",
        section: .service,
        summary: "The web console",
        details: "This page, and the files that it loads from below it.",
        parameters: Preconditions.parameters,
        answers: [
            Answer(
                .ok,
                "The page.",
                headers: [.entityTag] + Header.page,
                Content("text/html", ["type": "string"], example: "<!doctype html>…")
            ),
            Answer(.notModified, "It is what `If-None-Match` names.", headers: [.entityTag] + Header.page),
        ],
        errors: ["precondition-failed", "route-unknown"]
    )

    static let readDescription = Operation(
        id: "readDescription",
        section: .service,
        summary: "This interface as OpenAPI 3.1",
        answers: [
            Answer(
                .ok,
                "The description.",
                headers: [.cacheControl],
                Content(
                    ContentType.json,
                    .object(
                        required: [
                            "openapi": ["type": "string"], "info": ["type": "object"], "paths": ["type": "object"],
                        ]
                    ),
                    example: [
                        "openapi": "3.1.0", "info": ["title": "Clarion", "version": .text(Hub.version)], "paths": [:],
                    ]
                )
            )
        ]
    )

    static let readManual = Operation(
        id: "readManual",
        section: .service,
        summary: "This interface as a page for people",
        answers: [
            Answer(
                .ok,
                "The page.",
                headers: Header.page,
                Content("text/html", ["type": "string"], example: "<!doctype html>…")
            )
        ]
    )
}

extension Operation.Answer {
    fileprivate static func text(_ description: String, _ example: String) -> Operation.Answer {
        Operation.Answer(
            .ok,
            description,
            headers: [.cacheControl],
            Operation.Content("text/plain", ["type": "string"], example: .string(example))
        )
    }
}

extension Operation.Header {
    /// The fields of pages.
    fileprivate static let page: [Operation.Header] = [
        .cacheControl, .noSniffing, .contentSecurityPolicy, .referrerPolicy,
    ]
}
