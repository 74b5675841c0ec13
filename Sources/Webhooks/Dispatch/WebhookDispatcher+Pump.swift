import Locking
import Dispatch
import Logging

/// The pump: the one task that uses the store.
extension WebhookDispatcher {
    func pump() async {
        while true {
            let job = state.withLock { state in
                // Not before the lock is taken: who told meanwhile of what is due a moment later would not be heard
                // again, because a read as of then leaves it out.
                let now = clocks.now()
                // Before it is asked how long there is nothing to do: a lane that may send may also have to wait on.
                state.scheduler.fireTimers(now: now)
                transport.submit(state.scheduler.takeAttempts(now: now))
                return state.scheduler.nextJob(now: now)
            }
            do {
                guard try await perform(job) else { return }
            } catch {
                logger.error("the delivery store failed; trying again", metadata: ["error": "\(error)"])
                let now = clocks.now()
                update { $0.storeFailed(job, now: now) }
            }
        }
    }

    /// Performs one job; `false` when it was the last.
    private func perform(_ job: DeliveryScheduler.Job) async throws -> Bool {
        switch job {
        case .record(let outcomes):
            try await store.record(outcomes)
            let now = clocks.now()
            update { $0.recorded(now: now) }
            log(outcomes)
        case .fetch(let fetch):
            let due = try await store.dueDeliveries(of: fetch.endpoint, at: fetch.at, limit: fetch.limit)
            let now = clocks.now()
            update { $0.fetched(fetch, due, now: now) }
        case .abort(let tokens):
            // Each token once: results for them come back and lower the count in flight.
            transport.abort(tokens)
            await wait(until: nil)
        case .wait(let time):
            await wait(until: time)
        case .finished:
            return false
        }
        return true
    }

    /// Takes in results on the transport thread; returns what to begin next.
    func take(_ results: [TransportResult]) -> [TransportRequest] {
        let now = clocks.now()
        let (requests, pump, probes) = state.withLock { state in
            let probes = results.compactMap { result in
                result.request.lane != nil
                    ? nil : state.probes.removeValue(forKey: result.request.token).map { (result, $0) }
            }
            state.scheduler.finish(results, now: now) { Double.random(in: -1...1) }
            let requests = state.scheduler.takeAttempts(now: now)
            return (requests, state.signalPumpIfNeeded(now: now), probes)
        }
        pump?.resume()
        for (result, probe) in probes {
            switch result.ending {
            case .answered(let answer): probe.continuation.resume(returning: .success(answer))
            case .aborted: probe.continuation.resume(returning: .failure(.stopping))
            case .unmade: probe.continuation.resume(returning: .failure(.exhausted))
            }
        }
        logShortage(in: results, now: now)
        return requests
    }

    /// Waits for a signal, at most until the given time.
    private func wait(until time: Int64?) async {
        // A minute at most: alarms do not go on while the machine is suspended, and the store's time does.
        let now = clocks.now()
        setAlarm(at: min(time ?? .max, now + 60_000), now: now)
        await withCheckedContinuation { continuation in
            let isSignalled = state.withLock { state in
                guard state.isPumpSignalled else {
                    state.pumpWaiter = continuation
                    return false
                }
                state.isPumpSignalled = false
                return true
            }
            if isSignalled { continuation.resume() }
        }
    }

    /// Signals the pump at that time. An alarm that is set is not cancelled: one too many does no harm.
    private func setAlarm(at time: Int64, now: Int64) {
        let isNews = state.withLock { state in
            guard !state.alarms.contains(where: { $0 <= time }) else { return false }
            state.alarms.append(time)
            return true
        }
        guard isNews else { return }
        let delay = DispatchTimeInterval.milliseconds(Int(max(time - now, 0)))
        DispatchQueue.global().asyncAfter(deadline: .now() + delay) { [weak self] in self?.alarm(time) }
    }

    private func alarm(_ time: Int64) {
        let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
            if let place = state.alarms.firstIndex(of: time) { state.alarms.remove(at: place) }
            return state.signalPump()
        }
        waiter?.resume()
    }

    /// Tells the operator that attempts cannot be made, not more often than every ten seconds.
    private func logShortage(in results: [TransportResult], now: Int64) {
        for case .unmade(let shortage) in results.lazy.map(\.ending) {
            let isNews = state.withLock { state in
                if let last = state.shortageLoggedAt, now - last < 10_000 { return false }
                state.shortageLoggedAt = now
                return true
            }
            guard isNews else { return }
            logger.warning(
                "a delivery could not be attempted for want of resources; it is tried again soon",
                metadata: ["reason": "\(shortage.message)"]
            )
            return
        }
    }
}
