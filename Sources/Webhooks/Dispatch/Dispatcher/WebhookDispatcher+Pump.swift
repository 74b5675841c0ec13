import Locking

/// The pump: the one task that reads the store. It also writes the log lines, for which no other thread must wait.
extension WebhookDispatcher {
    func pump() async {
        for await _ in signals {
            while let read = nextRead() { await perform(read) }
            if state.withLock({ $0.scheduler.isFinished && $0.unlogged.isEmpty }) { return }
        }
    }

    private func nextRead() -> DeliveryScheduler.Read? {
        let (read, outcomes) = state.withLock { state in
            defer { state.unlogged = [] }
            return (state.scheduler.takeRead(now: store.now), state.unlogged)
        }
        log(outcomes)
        return read
    }

    private func perform(_ read: DeliveryScheduler.Read) async {
        let due = try? await store.dueDeliveries(
            of: read.endpoint,
            at: read.at,
            limit: read.limit,
            byteLimit: read.byteLimit
        )
        update { $0.scheduler.finish(read, due, now: store.now) }
    }
}
