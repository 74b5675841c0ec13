import EventLog
import MicroHTTP

extension Post {
    /// What a client is told when the log did not store its post.
    ///
    /// - Parameter condition: what the log was to see to.
    func refusal(
        _ error: EventLogError,
        if condition: AppendCondition?,
        requestID: String,
        faults: FaultLog
    ) -> Problem {
        switch (error.code, condition) {
        case (.idempotencyConflict, _): conflict(at: error.place ?? 0)
        case (.valueChanged, let condition?): condition.problem(at: error.place ?? 0)
        default: Problem(error, requestID: requestID, faults: faults)
        }
    }

    /// An idempotency key stands for another post: the client's own, or the one that the source and id of the CloudEvent
    /// at a place in the post make.
    private func conflict(at place: Int) -> Problem {
        var problem = Problem(
            .unprocessable,
            code: "idempotency-conflict",
            detail: "The idempotency key was used for something else on this topic within 24 hours.",
            parameter: keyParameter
        )
        guard keyParameter == nil else { return problem }
        problem.detail = "A CloudEvent of this source and id was posted on this topic within 24 hours, and differs."
        switch format {
        case .cloudEvents: problem.pointer = "/\(place)"
        case .cloudEvent: problem.pointer = ""
        case .cloudEventData: problem.parameter = "ce-id"
        case .data, .lines: break
        }
        return problem
    }
}

extension AppendCondition {
    /// What a client is told when the topic's value is not what it expected.
    ///
    /// - Parameter place: which of several conditions does not hold.
    fileprivate func problem(at place: Int) -> Problem {
        if case .all(let parts) = self, parts.indices.contains(place) { return parts[place].problem(at: 0) }
        let (parameter, detail) =
            switch self {
            case .newestIsOne: ("If-Match", "The topic's value is not what \"If-Match\" names. Read it again.")
            case .newestIsNone: ("If-None-Match", "The topic's value is one that \"If-None-Match\" rules out.")
            case .hasEvent: ("If-Match", "The topic has no value. Set the first with \"If-None-Match: *\".")
            case .hasNone: ("If-None-Match", "The topic has a value. Read it, and name its ETag in \"If-Match\".")
            case .all: ("If-Match", "The topic's value is not what was expected.")
            }
        return Problem(.preconditionFailed, code: "value-changed", detail: detail, parameter: parameter)
    }
}
