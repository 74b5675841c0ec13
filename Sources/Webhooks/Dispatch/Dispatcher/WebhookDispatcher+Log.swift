import Locking
import Logging

/// What is logged of attempts for the operator: of each a line. Deliveries are named by event, URL and observer; bodies, secrets
/// and the values of URLs' queries do not get into the log.
extension WebhookDispatcher {
    /// Those of outcomes of which there is a line.
    func logged(_ outcomes: [AttemptOutcome]) -> [AttemptOutcome] {
        if logger.logLevel <= .debug { return outcomes }
        return outcomes.filter { $0.alert != nil || [.dead, .gone].contains($0.result) }
    }

    func log(_ outcomes: [AttemptOutcome]) {
        for outcome in outcomes {
            switch outcome.alert {
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

    /// Warns the operator that attempts cannot be made, not more often than every ten seconds.
    func logShortage(in results: [TransportResult]) {
        for case .unmade(let shortage) in results.lazy.map(\.ending) {
            let now = store.now
            let isNews = state.withLock { state in
                if let last = state.shortageLoggedAt, now - last < 10_000 { return false }
                state.shortageLoggedAt = now
                return true
            }
            guard isNews else { return }
            logger.warning(
                "a delivery could not be attempted for want of resources; it is tried again soon",
                metadata: ["reason": "\(shortage)"]
            )
            return
        }
    }
}

extension AttemptOutcome {
    fileprivate var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = ["observer": "\(endpoint)", "event": "\(event)"]
        metadata["attempt"] = .stringConvertible(attempts)
        metadata["outcome"] = "\(result.kind.rawValue)"
        metadata["duration"] = .stringConvertible(Double(answer.duration) / 1_000)
        if let url { metadata["url"] = "\(url.withoutQueryValues)" }
        if let status = answer.status { metadata["status"] = .stringConvertible(status) }
        if let failure = answer.failure { metadata["failure"] = "\(failure.rawValue)" }
        if let message = answer.message {
            // Parts of it may be the endpoint's own words: they stay in their line.
            metadata["reason"] = "\(String(message.map { $0.isNewline || $0 == "\0" || $0 == "\u{1b}" ? " " : $0 }))"
        }
        return metadata
    }
}
