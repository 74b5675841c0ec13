import MicroHTTP

/// What the body of a post is.
enum PostFormat {
    /// The data of one event.
    case data
    /// The data of one CloudEvent, whose attributes are in these header fields.
    case cloudEventData([(name: String, value: ArraySlice<UInt8>)])
    /// One CloudEvent as JSON.
    case cloudEvent
    /// A JSON array of CloudEvents.
    case cloudEvents
    /// Lines, each the JSON data of one event.
    case lines

    /// - Throws: 415 `media-type-unsupported` for CloudEvents in another format than JSON, and for a body with a
    ///   coding.
    init(_ request: Request, contentType: String?) throws(Problem) {
        try request.requireUncoded()
        if let contentType, ContentType.hasPrefix(contentType, "application/cloudevents") {
            if ContentType.matches(contentType, "application/cloudevents+json") {
                self = .cloudEvent
            } else if ContentType.matches(contentType, "application/cloudevents-batch+json") {
                self = .cloudEvents
            } else {
                throw Problem.mediaTypeUnsupported(
                    "CloudEvents are taken as application/cloudevents+json or application/cloudevents-batch+json."
                )
            }
            return
        }
        let fields = request.headers.fields(withPrefix: "ce-")
        guard fields.isEmpty else {
            // Whatever its data is, lines among others.
            self = .cloudEventData(fields)
            return
        }
        self = contentType.map { ContentType.matches($0, "application/x-ndjson") } == true ? .lines : .data
    }

    /// Whether it may be several events.
    var isBatch: Bool {
        switch self {
        case .data, .cloudEventData, .cloudEvent: false
        case .cloudEvents, .lines: true
        }
    }

    /// Whether a request's body is to be taken apart, and not only kept.
    static func isTakenApart(_ request: Request) -> Bool {
        guard let contentType = try? ContentType.of(request) else { return false }
        return switch try? PostFormat(request, contentType: contentType) {
        case .cloudEvent, .cloudEvents, .lines: true
        case .data, .cloudEventData, nil: false
        }
    }

    /// The JSON Pointer of an event's data in the body.
    func dataPointer(of index: Int) -> String {
        switch self {
        case .data, .cloudEventData: ""
        case .cloudEvent: "/data"
        case .cloudEvents: "/\(index)/data"
        case .lines: "/\(index)"
        }
    }
}

extension Problem {
    static func mediaTypeUnsupported(_ detail: String) -> Problem {
        Problem(.unsupportedMediaType, code: "media-type-unsupported", detail: detail, parameter: "Content-Type")
    }

    static func batchTooLarge(limit: Int) -> Problem {
        Problem(
            .contentTooLarge,
            code: "batch-too-large",
            detail: "A batch has at most \(limit) events. Nothing was stored."
        )
    }
}
