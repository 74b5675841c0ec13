import Locking
package import Logging
import Notation

/// Delivers events to webhooks: reads due deliveries from a store, makes attempts, records what became of them.
///
/// ```swift
/// let dispatcher = WebhookDispatcher(store: store, configuration: WebhookConfiguration(), logger: logger)
/// dispatcher.start()
/// dispatcher.set(endpoint)          // its pending deliveries are picked up, also those from before a restart
/// dispatcher.wake(endpoint.id)      // after new ones were committed
/// await dispatcher.shutdown(grace: .seconds(10))
/// ```
///
/// The transport's first thread runs it: it makes attempts, has others make some, begins the next ones as slots come free, has
/// the store record what became of them, and is the clock by which retries are due. Beside it one task, the *pump*, reads the
/// store. Between them stands a ``DeliveryScheduler`` in a mutex. From ``start()`` until ``shutdown(grace:)`` has returned the
/// dispatcher keeps itself alive.
package final class WebhookDispatcher: Sendable {
    /// Lock order: this before the transport's inbox. Nothing is called out to while it is held, but the question whose
    /// deliveries an endpoint's are (``DeliveryStore/isOnDuty(for:)``) and the transport's inbox: an attempt must be
    /// submitted before it can be aborted by someone who learned of it under this lock.
    struct State {
        var scheduler: DeliveryScheduler
        var pump: Task<Void, Never>?
        /// What was recorded and is to be logged: not by the threads that record, which must not wait for it.
        var unlogged: [AttemptOutcome] = []
        /// When it was logged last that attempts could not be made.
        var shortageLoggedAt: Int64?
        /// How many topics were deleted.
        var deletions = 0
        /// Single attempts under way, by token.
        var probes: [UInt64: Probe] = [:]

        /// Whether there is something for the pump to do.
        func hasPumpWork(now: Int64) -> Bool {
            scheduler.wantsRead(now: now) || scheduler.isFinished || !unlogged.isEmpty
        }
    }

    let state: Lock<State>
    let offers = Lock(Offers())
    /// Have the pump look for work.
    let (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let transport: Transport
    let store: any DeliveryStore
    let logger: Logger

    /// Creates a dispatcher that does nothing until ``start()``.
    ///
    /// - Parameters:
    ///   - store: where deliveries are read and outcomes recorded.
    ///   - configuration: what is the same for all endpoints.
    ///   - logger: for failures of endpoints; never sees secrets, bodies or the values of URLs' queries.
    package init(store: any DeliveryStore, configuration: WebhookConfiguration, logger: Logger) {
        var limits = DeliveryScheduler.Limits()
        let options = TransportOptions(configuration)
        limits.perName = configuration.maximumConnections < 4 * options.maxInFlight ? 3 : 1
        limits.inFlight = max(options.maxInFlight, limits.perName + 1)
        // A process that dies meanwhile makes the attempt again; to record each by itself would cost posts a quarter of the log's
        // time. Under load they wait for each other anyway: one batch is recorded at a time, after posts.
        limits.recordDelay = 1
        (self.store, self.logger) = (store, logger)
        limits.threads.steady = options.steadyThreads
        transport = Transport(options: options, store: store)
        state = Lock(State(scheduler: DeliveryScheduler(limits: limits, policy: configuration.retryPolicy)))
    }

    /// Why every attempt at a URL will be refused here, as far as that is known before any is made; nil if it cannot.
    package func refusal(of url: WebhookURL) -> String? { transport.options.foreseeableRefusal(of: url) }

    /// How many requests to endpoints are under way.
    package var requestsUnderWay: Int { state.withLock { $0.scheduler.attempts.underWay.count } }

    /// Starts the transport and the pump. Further calls do nothing.
    package func start() {
        let isFirst = state.withLock { state in
            guard state.pump == nil, state.scheduler.phase == .running else { return false }
            state.pump = Task { await self.pump() }
            return true
        }
        guard isFirst else { return }
        transport.start { [weak self] results, isCalled in
            if isCalled { self?.takeOffers() }
            self?.take(results)
        }
    }

    /// Adds an endpoint or replaces the one of the same id; its pending deliveries are picked up.
    ///
    /// Attempts under way end as they began. Does nothing after ``shutdown(grace:)``.
    package func set(_ endpoint: Endpoint) {
        // Made before the lock is taken: its credentials may be long.
        let destination = Destination(endpoint)
        update { $0.scheduler.set(destination) }
    }

    /// Has the endpoint's deliveries read again, in their order: some of them were made due in the store.
    package func reread(_ id: String) { update { $0.scheduler.reread(id) } }

    /// Drops what waits in memory of a topic that was deleted from the store. Attempts under way end as they began, and
    /// are not made again.
    package func forget(topic: String) {
        // What is offered from now on was committed after the deletion: offers come in the order of the commits.
        offers.withLock { $0.expire() }
        update { state in
            state.deletions += 1
            state.scheduler.forget(topic)
        }
    }

    /// Begins no more attempts at the endpoint until ``release(_:)`` is called as often: what is pending changes.
    package func hold(_ id: String) { update { $0.scheduler.hold(id) } }

    /// Undoes one ``hold(_:)``; the endpoint's deliveries are read again.
    package func release(_ id: String) { update { $0.scheduler.release(id) } }

    /// Removes an endpoint: nothing more is sent to it, attempts under way are aborted and not recorded.
    package func remove(_ id: String) { update { transport.submit(aborting: $0.scheduler.remove(id)) } }

    /// Whether it has an endpoint of that id.
    package func delivers(to id: String) -> Bool { state.withLock { $0.scheduler.delivers(to: id) } }

    /// Removes endpoints: nothing more is sent to them. What is under way goes on.
    package func leave(_ ids: [String]) { update { state in for id in ids { _ = state.scheduler.remove(id) } } }

    /// Returns when nothing is under way any more at endpoints that were left.
    ///
    /// - Parameter grace: how long attempts under way may take; those that end within it are recorded.
    package func waitForEnd(of ids: [String], grace: Duration) async {
        let deadline = ContinuousClock.now + grace
        var rest = ids
        while true {
            rest = state.withLock { state in rest.filter { state.scheduler.isLeaving($0) } }
            guard !rest.isEmpty, ContinuousClock.now < deadline else { break }
            try? await Task.sleep(for: .milliseconds(5))
        }
        update { state in
            for id in rest where state.scheduler.isLeaving(id) {
                transport.submit(aborting: state.scheduler.remove(id))
            }
        }
    }

    /// Notes that new due deliveries of the endpoint were committed, to be read from the store in its turn.
    ///
    /// Only notes it, from any thread: the rest is done on the transport's first thread.
    package func wake(_ id: String) {
        if offers.withLock({ $0.wake(id) }) { transport.call() }
    }

    /// Takes deliveries of the endpoint that were just committed, all that were: what was handed out of memory need not
    /// be read. If others come before them, or there are many, they are read from the store in their turn.
    ///
    /// Only notes them: the rest is done on the transport's first thread. To be called in the order of the commits.
    ///
    /// - Parameters:
    ///   - format: what the deliveries are encoded in.
    ///   - last: the last of the events.
    ///   - size: the bytes of the events.
    ///   - deliveries: makes them, new and due, lowest id first; called on that thread, or not at all.
    package func offer(
        _ id: String,
        in format: Endpoint.Format,
        last: Int64,
        size: Int,
        _ deliveries: @escaping @Sendable () -> [DueDelivery]
    ) {
        let batch = Offers.Batch(format: format, deliveries: deliveries)
        if offers.withLock({ $0.add(batch, to: id, last: last, size: size) }) { transport.call() }
    }

    /// Ends it: no new attempts; those under way get `grace`, then they are aborted and stay pending like everything
    /// else that was not attempted. Returns when all outcomes are recorded and the transport has ended.
    package func shutdown(grace: Duration) async {
        update { state in
            state.scheduler.stop(deadline: store.now.addingClamped(grace.milliseconds))
            transport.submit(aborting: state.probes.filter { $0.value.isFetch }.map(\.key))
        }
        await state.withLock { $0.pump }?.value
        await transport.stop()
    }
}
