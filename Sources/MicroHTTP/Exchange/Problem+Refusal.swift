/// Why a request is refused before anybody is asked about it.
extension Problem {
    static let ambiguousHead = Problem.malformed(
        "The head cannot be read in one way only: it has a folded or blank-led line, a bare line feed, a NUL, "
            + "more than one blank in the request line, or a method that is no token."
    )

    static let largeHead = Problem(
        .headersTooLarge,
        code: "headers-too-large",
        detail: "The request's header fields, cookies above all, take more than this server's memory for them."
    )

    static let stopping = Problem(
        .unavailable,
        code: "draining",
        detail: "The server is stopping.",
        headers: [("Retry-After", "1")]
    )

    /// 413 `body-too-large`.
    ///
    /// - Parameter limit: how large a body may be, in bytes.
    public static func tooLarge(limit: Int) -> Problem {
        Problem(.contentTooLarge, code: "body-too-large", detail: "The body is larger than \(limit) bytes.")
    }

    /// - Parameter limit: how large a body may be, in bytes.
    static func of(_ fault: BodyBuffer.Fault, limit: Int) -> Problem {
        switch fault {
        case .tooLarge:
            .tooLarge(limit: limit)
        case .noRoom:
            Problem(
                .unavailable,
                code: "overloaded",
                detail: "Too many bytes of requests are on their way. Try again in a moment.",
                headers: [("Retry-After", "2")]
            )
        }
    }
}
