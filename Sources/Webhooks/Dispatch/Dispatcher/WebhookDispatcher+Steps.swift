import Locking

/// What the dispatcher does when anything has happened, on the thread where it has.
extension WebhookDispatcher {
    /// Changes the schedule, then does what is to be done now: begins attempts, records outcomes, calls the pump.
    func update(_ change: (inout State) -> Void) {
        let (outcomes, hasPumpWork, isAllBegun) = state.withLock { state in
            change(&state)
            let now = store.now
            var steps = state.scheduler.advance(to: now)
            // Asked as late as possible: a process that was stopped for a while goes on anywhere.
            let refused = steps.begin.filter { !store.isOnDuty(for: $0.destination.endpoint.id) }
            if !refused.isEmpty {
                let tokens = Set(refused.map(\.token))
                steps.begin.removeAll { tokens.contains($0.token) }
                state.scheduler.refuse(refused, now: now)
            }
            transport.submit(steps.begin, aborting: steps.abort, callAt: steps.next)
            return (steps.record, state.hasPumpWork(now: now), refused.isEmpty)
        }
        if hasPumpWork { signal.yield() }
        if !outcomes.isEmpty { record(outcomes) }
        // There is capacity for others.
        if !isAllBegun { update { _ in } }
    }

    /// Takes in what was committed, on the transport's first thread, which is called for it: in order, so on one.
    func takeOffers() {
        let deletions = state.withLock { $0.deletions }
        let (offers, isIncomplete) = offers.withLock { waiting in
            defer { waiting = Offers() }
            return (waiting.waiting, waiting.isIncomplete)
        }
        guard !offers.isEmpty || isIncomplete else { return }
        let wanted = state.withLock { state in
            offers.map { offer in
                offer.batch.flatMap { state.scheduler.takesOffers(offer.id, in: $0.format) ? $0 : nil }
            }
        }
        // Not made under the lock: it may take long.
        let deliveries = wanted.map { $0?.deliveries() ?? [] }
        update { state in
            // If a topic was deleted meanwhile, what was made may be of it.
            let isCurrent = state.deletions == deletions
            for (place, offer) in offers.enumerated() {
                if let batch = wanted[place], isCurrent {
                    state.scheduler.offer(offer.id, in: batch.format, deliveries[place])
                } else {
                    _ = state.scheduler.wake(offer.id)
                }
            }
            if isIncomplete { state.scheduler.wakeAll() }
        }
    }

    /// Takes in results, or that a time has come, on the transport's first thread.
    func take(_ results: [TransportResult]) {
        var ended: [(TransportResult, Probe)] = []
        update { state in
            ended = results.compactMap { result in
                state.probes.removeValue(forKey: result.request.token).map { (result, $0) }
            }
            state.scheduler.finish(results, now: store.now) { Double.random(in: -1...1) }
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
                    state.scheduler.recordFailed(now: store.now)
                }
            }
        }
    }
}
