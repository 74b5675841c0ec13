/// What the store is asked and told.
extension DeliveryScheduler {
    /// One call of the store, or the reason why there is none now.
    enum Job {
        /// Record these outcomes, then call ``recorded(now:)``.
        case record([AttemptOutcome])
        /// Read due deliveries, then call ``fetched(_:_:now:)``.
        case fetch(Fetch)
        /// Abort all attempts under way: the grace is over.
        case abort([UInt64])
        /// Nothing until that time, or until something happens.
        case wait(until: Int64?)
        /// Everything is recorded, nothing is under way.
        case finished
    }

    struct Fetch {
        let lane: Int
        let endpoint: Endpoint
        let epoch: Int
        /// The `now` to read with.
        let at: Int64
        let limit: Int
    }

    /// The next thing for the pump to do, once timers were fired and attempts taken: recording and reading in turn, so
    /// that an endpoint whose attempts end faster than they are recorded does not keep others from being read.
    mutating func nextJob(now: Int64) -> Job {
        let mayUseStore = now >= storeRetryAt
        if mayUseStore, hasRecorded, phase == .running {
            hasRecorded = false
            if let fetch = takeFetch(now: now) { return .fetch(fetch) }
        }
        if mayUseStore, mustRecord(now: now) {
            hasRecorded = true
            recording = Array(unrecorded.prefix(limits.recordBatch))
            unrecorded.removeFirst(recording.count)
            return .record(recording)
        }
        if case .stopping(let deadline) = phase {
            return stoppingJob(deadline: deadline, now: now)
        }
        guard mayUseStore else { return .wait(until: min(storeRetryAt, timers.earliest ?? .max, nextSlowAt)) }
        if let fetch = takeFetch(now: now) { return .fetch(fetch) }
        return .wait(until: nextTime == .max ? nil : nextTime)
    }

    private func stoppingJob(deadline: Int64, now: Int64) -> Job {
        if inFlight > 0 {
            guard now >= deadline else { return .wait(until: deadline) }
            return .abort(lanes.flatMap { $0.map { Array($0.inFlight) } ?? [] } + probes.keys)
        }
        if unrecorded.isEmpty { return .finished }
        // The store fails. A few more tries, then the attempts are forgotten and made again after the restart.
        return storeFailures < 5 ? .wait(until: storeRetryAt) : .finished
    }

    // MARK: Reading

    /// Gives the lane a turn to read if the store may have something for it and it can use it.
    mutating func requestFetch(_ index: Int) {
        guard phase == .running else { return }
        let mostUnrecorded = limits.unrecordedPerLane
        let isWanted = withLane(index) { lane in
            guard lane.isOpen, lane.isDirty, lane.isRunningLow, lane.unrecorded <= mostUnrecorded, !lane.isFetching,
                !lane.isInFetchRing, !lane.mustWaitForRecord
            else {
                return false
            }
            lane.isInFetchRing = true
            return true
        }
        if isWanted { fetchRing.append(index) }
    }

    private mutating func takeFetch(now: Int64) -> Fetch? {
        let isOverBudget = queuedBytes >= limits.queuedBytes
        for _ in 0..<fetchRing.count {
            guard let index = fetchRing.popFirst() else { return nil }
            let fetch: Fetch?? = withLane(index) { lane in
                guard lane.isOpen, lane.isDirty, !lane.mustWaitForRecord, let target = lane.target else {
                    lane.isInFetchRing = false
                    return .some(nil)
                }
                if isOverBudget, !lane.queue.isEmpty || !lane.inFlight.isEmpty { return nil }
                lane.isInFetchRing = false
                lane.isFetching = true
                lane.isDirty = false
                lane.readAt = .max
                return Fetch(
                    lane: index,
                    endpoint: target.endpoint,
                    epoch: lane.epoch,
                    at: now,
                    // Those we already have may be among the ones returned.
                    limit: lane.tracked.count + (isOverBudget ? 1 : lane.readAhead)
                )
            }
            switch fetch {
            case .none: fetchRing.append(index)
            case .some(.none): forgetIfSettled(index)
            case .some(.some(let fetch)): return fetch
            }
        }
        return nil
    }

    /// Takes in due deliveries.
    mutating func fetched(_ fetch: Fetch, _ due: DueDeliveries, now: Int64) {
        storeFailures = 0
        var bytes = 0
        withLane(fetch.lane) { lane in
            lane.isFetching = false
            guard lane.isOpen, lane.epoch == fetch.epoch else {
                lane.isDirty = true
                return
            }
            var fresh = 0
            for delivery in due.deliveries {
                guard let added = lane.take(delivery) else { continue }
                fresh += 1
                bytes += added
            }
            if lane.target?.endpoint.ordered == true { lane.waitForHead() }
            lane.readAt = min(lane.readAt, due.next ?? .max)
            // There may be more. The limit leaves room for some that are not ours yet.
            if due.deliveries.count >= fetch.limit, fresh > 0 { lane.isDirty = true }
        }
        queuedBytes += bytes
        arm(fetch.lane, now: now)
        requestSend(fetch.lane)
        requestFetch(fetch.lane)
        forgetIfSettled(fetch.lane)
    }

    // MARK: Recording

    /// Whether outcomes are to be recorded now: enough for a transaction of their own, or the oldest has waited.
    func mustRecord(now: Int64) -> Bool {
        if unrecorded.isEmpty { return false }
        return now >= recordAt || unrecorded.count >= limits.recordAtOnce || phase != .running
    }

    /// Takes in that the outcomes of the last ``Job/record(_:)`` are stored.
    mutating func recorded(now: Int64) {
        storeFailures = 0
        for outcome in recording {
            guard let index = indices[outcome.endpoint] else { continue }
            withLane(index) { lane in
                let isReleased = lane.recorded(outcome.delivery)
                if case .retry(let notBefore) = outcome.result, isReleased { lane.readAt = min(lane.readAt, notBefore) }
            }
            arm(index, now: now)
            requestFetch(index)
            forgetIfSettled(index)
        }
        recording = []
    }

    /// Takes in that the last job failed, and puts off the store's next one: 100 ms, doubling up to 5 s.
    mutating func storeFailed(_ job: Job, now: Int64) {
        storeFailures += 1
        storeRetryAt = now + min(100 << Int64(min(storeFailures - 1, 6)), 5000)
        switch job {
        case .record:
            unrecorded.insert(contentsOf: recording, at: 0)
            recording = []
        case .fetch(let fetch):
            withLane(fetch.lane) { lane in
                lane.isFetching = false
                lane.isDirty = true
            }
            requestFetch(fetch.lane)
            forgetIfSettled(fetch.lane)
        case .abort, .wait, .finished:
            break
        }
    }

    // MARK: Time

    /// Has lanes send and read whose time has come.
    mutating func fireTimers(now: Int64) {
        while let index = timers.popDue(at: now) {
            withLane(index) { lane in
                guard lane.readAt <= now else { return }
                lane.isDirty = true
                lane.readAt = .max
            }
            requestFetch(index)
            requestSend(index)
            arm(index, now: now)
        }
    }
}
