import Logging

/// What the operator is told of attempts: of each a line. Deliveries are named by event, URL and observer; bodies, secrets
/// and the values of URLs' queries do not get into the log.
extension WebhookDispatcher {
    func log(_ outcomes: [AttemptOutcome]) {
        for outcome in outcomes {
            switch outcome.news {
            case .beganToFail: logger.warning("deliveries to a webhook have begun to fail", metadata: outcome.metadata)
            case .worksAgain: logger.notice("deliveries to a webhook succeed again", metadata: outcome.metadata)
            case nil: break
            }
            switch outcome.result {
            case .dead, .gone: logger.notice("a delivery was given up", metadata: outcome.metadata)
            case .retry: logger.debug("a delivery attempt failed", metadata: outcome.metadata)
            case .delivered: logger.debug("a delivery was accepted", metadata: outcome.metadata)
            }
        }
    }
}

extension AttemptOutcome {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["observer": "\(endpoint)", "event": "\(event)", "attempt": "\(attempts)"]
        metadata["outcome"] = "\(result.name)"
        metadata["duration"] = .stringConvertible(Double(duration) / 1_000)
        if let url { metadata["url"] = "\(url.withoutQueryValues)" }
        if let status { metadata["status"] = "\(status)" }
        if let failure { metadata["failure"] = "\(failure.rawValue)" }
        if let message {
            // Parts of it may be the endpoint's own words: they stay in their line.
            metadata["reason"] = "\(String(message.map { $0.isNewline || $0 == "\0" || $0 == "\u{1b}" ? " " : $0 }))"
        }
        return metadata
    }
}

extension AttemptOutcome.Result {
    fileprivate var name: String {
        switch self {
        case .delivered: "delivered"
        case .retry: "retried"
        case .dead: "dead"
        case .gone: "gone"
        }
    }
}
