import Locking
import Dispatch
import Synchronization

/// The serial way to one observer, as Boost.Asio calls it: calls run one at a time, in the order in which they were posted,
/// each where its registration says.
///
/// All registrations of an observer share its strand (`StrandDirectory`), in all tables and with all deliveries, as long as
/// one of them or a call is left. So the order holds across keys, centres and deliveries, and when the observer registers
/// again.
///
/// The order comes from the mailbox, not from the executor: actors run jobs by priority and concurrent queues run them
/// at once, and neither matters here because at most one drain of a strand is on its way. A drain takes what waits when it
/// starts, runs what belongs where it is, and goes to the back of the next queue for the rest, so a busy strand does not occupy
/// the main actor.
final class Strand: Sendable {
    /// What waits for the observer.
    enum Item: Sendable {
        case call(any StrandCall)
        /// Has the observer to itself until it is over.
        case turn(AsyncCall)
    }

    private struct State {
        var mailbox = Mailbox<Item>()
        /// Asynchronous calls that wait or run.
        var turns = 0
    }

    private let state = Lock(State())
    /// What a call did is visible to the next one, wherever that runs. Executors see to it anyway, but the Thread Sanitizer
    /// does not see them; see `Lock`.
    private let handOver = Atomic(false)

    /// Hands a call over. Until it has run it holds the entry and the actor, but not the owner.
    ///
    /// - Returns: `false` if the actor is gone, so that nothing will ever run.
    func post(_ call: any StrandCall) -> Bool {
        guard let delivery = call.destination.delivery else { return false }
        if state.withLock({ $0.mailbox.post(.call(call)) }) { schedule([], from: 0, at: delivery) }
        return true
    }

    /// Gives an asynchronous call its turn after those before.
    ///
    /// - Parameter isNested: whether it is made from inside an asynchronous call. Such a one may be what another one waits for:
    ///   it does not wait for others, or they would wait for each other for ever.
    /// - Returns: `false` if it need not wait, and has no turn.
    func post(_ call: AsyncCall, isNested: Bool) -> Bool {
        let (hasTurn, isFirst) = state.withLock { state in
            if isNested, state.turns > 0 { return (false, false) }
            state.turns += 1
            return (true, state.mailbox.post(.turn(call)))
        }
        if isFirst { proceed(state.withLock { $0.mailbox.takeBatch() }, from: 0) }
        return hasTurn
    }

    /// How many asynchronous calls wait or run.
    var turnCount: Int { state.withLock { $0.turns } }

    /// Whether a call is on its way or runs.
    var isBusy: Bool { state.withLock { $0.mailbox.isDrainDue } }

    /// What calls did before is visible to the caller. To be called when nothing runs any more.
    func synchronize() { _ = handOver.load(ordering: .acquiring) }

    // A drain must not run in the context of whoever happened to post first: a task that is not detached keeps its
    // task-local values, and calls of others would see them.
    private func schedule(_ batch: [Item], from index: Int, at delivery: Delivery) {
        switch delivery {
        case .immediate: drain(batch, from: index)
        case .main: Task.detached { @MainActor in self.drain(batch, from: index) }
        case .background: Task.detached { self.drain(batch, from: index) }
        case .queue(let queue): queue.async { self.drain(batch, from: index) }
        case .actor(let actor): Task.detached { await self.drain(batch, from: index, on: actor) }
        }
    }

    private func drain(_ batch: [Item], from index: Int, on actor: isolated any Actor) { drain(batch, from: index) }

    /// Runs calls up to the first one that belongs elsewhere. Without a batch it fetches one.
    private func drain(_ batch: [Item], from start: Int) {
        let batch = batch.isEmpty ? state.withLock { $0.mailbox.takeBatch() } : batch
        synchronize()
        var index = start
        guard case .call(let first) = batch[index] else { return proceed(batch, from: index) }
        let here = first.destination
        repeat {
            guard case .call(let call) = batch[index], call.destination == here else { break }
            call.run()
            index += 1
        } while index < batch.count
        proceed(batch, from: index)
    }

    /// Sends what is left of a batch, and of the mailbox, on its way.
    private func proceed(_ batch: [Item], from start: Int) {
        handOver.store(true, ordering: .releasing)
        var batch = batch
        var index = start
        while true {
            while index < batch.count {
                switch batch[index] {
                case .call(let call):
                    if let delivery = call.destination.delivery { return schedule(batch, from: index, at: delivery) }
                case .turn(let call):
                    let rest = batch
                    let next = index + 1
                    if call.take(then: { self.proceed(rest, after: next) }) { return }
                    state.withLock { $0.turns -= 1 }
                }
                index += 1
            }
            guard let first = state.withLock({ $0.mailbox.finishBatch() }) else { return }
            if case .call(let call) = first, let delivery = call.destination.delivery {
                return schedule([], from: 0, at: delivery)
            }
            batch = state.withLock { $0.mailbox.takeBatch() }
            index = 0
        }
    }

    private func proceed(_ batch: [Item], after turn: Int) {
        state.withLock { $0.turns -= 1 }
        proceed(batch, from: turn)
    }
}

/// A call that is handed over.
protocol StrandCall: AnyObject, Sendable {
    var destination: WeakDelivery { get }

    /// Makes the call, unless the observer is gone or its registration has ended.
    func run()
}
