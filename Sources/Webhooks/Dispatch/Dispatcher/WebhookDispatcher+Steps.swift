import Locking
import Logging

/// What the dispatcher does when anything has happened, on the thread where it has.
extension WebhookDispatcher {
    /// Changes the schedule, then does what is to be done now: begins attempts, records outcomes, calls the pump.
    func update(_ change: (inout State) -> Void) {
        let (outcomes, hasPumpWork) = state.withLock { state in
            change(&state)
            let now = clocks.now()
            let steps = state.scheduler.advance(to: now)
            transport.submit(steps.begin, aborting: steps.abort, callAt: steps.next)
            return (steps.record, state.hasPumpWork(now: now))
        }
        if hasPumpWork { signal.yield() }
        if !outcomes.isEmpty { record(outcomes) }
    }

    /// Takes in results, or that a time has come, on the transport's thread.
    func take(_ results: [TransportResult]) {
        var ended: [(TransportResult, Probe)] = []
        update { state in
            ended = results.compactMap { result in
                state.probes.removeValue(forKey: result.request.token).map { (result, $0) }
            }
            state.scheduler.finish(results, now: clocks.now()) { Double.random(in: -1...1) }
        }
        for (result, probe) in ended {
            switch result.ending {
            case .answered(let answer): probe.continuation.resume(returning: .success(answer))
            case .aborted: probe.continuation.resume(returning: .failure(.stopping))
            case .unmade: probe.continuation.resume(returning: .failure(.exhausted))
            }
        }
        logShortage(in: results)
    }

    private func record(_ outcomes: [AttemptOutcome]) {
        store.record(outcomes) { [self] result in
            update { state in
                switch result {
                case .success:
                    state.scheduler.recorded()
                    state.unlogged += logged(outcomes)
                case .failure:
                    state.scheduler.recordFailed(now: clocks.now())
                }
            }
            if case .failure(let error) = result { logStoreFailure(error) }
        }
    }
}

extension WebhookDispatcher.State {
    /// Whether there is something for the pump to do.
    func hasPumpWork(now: Int64) -> Bool {
        scheduler.wantsRead(now: now) || scheduler.isFinished || !unlogged.isEmpty
    }
}
