/// Decides what is read, sent and recorded, and when. Pure: no locks, no I/O, time and chance are given to it.
///
/// - All times are the store's, in milliseconds: a clock that does not step.
/// - Each endpoint has a lane with a window of its own (`maxInFlight`), so a hanging one uses up only its own slots.
/// - The total in flight is bounded and shared round-robin over the owners of lanes that have something due, and over each one's
///   lanes.
/// - One lane gets an eighth of it at most, and one slot only once half of it is in use, unless it has proved that it
///   answers in time.
/// - Lanes that are slow get half of it together, with those that have yet to answer three quarters. An attempt counts as
///   slow when it has taken a second, not only when it has timed out. Of what slow ones leave, those that answer take no
///   more than a part before they have answered again: see ``Shares``. So endpoints that hang cannot take all of it,
///   however many they are and however well they answered before, and those that answer always find capacity.
/// - What this machine has no descriptors or memory for is no attempt: its lane rests for a moment, and nothing is counted.
/// - A large body counts for several of the total: what is under way is bounded in bytes, too.
/// - What is read ahead is bounded in bytes; beyond, a lane that has nothing gets one delivery at a time,
///   far beyond only if it has proved that it answers.
///
/// Whoever has called it asks ``advance(to:)`` what is to be done now, and has the store read while there is a
/// ``takeRead(now:)``. Reads and records go on beside each other, one of each at a time.
struct DeliveryScheduler {
    /// Bounds that are the same for all lanes.
    struct Limits {
        var inFlight = 1024
        /// The transport's threads for endpoints that are steady.
        var threads = Threads()
        /// What an attempt at an endpoint that has a name counts for: to look it up takes descriptors, too.
        var perName = 1
        /// Single attempts at a time to one host: whoever tries an endpoint out wants few, and each may hang.
        var probesPerHost = 4
        var queuedBytes = 67_108_864
        /// Outcomes waiting to be recorded before nothing more is begun: a store that fails must not cost memory.
        var unrecorded = 8192
        /// Outcomes of one lane waiting to be recorded before more is read for it: a read returns those again, because
        /// the store has them pending, and one of thousands would hold up everybody.
        var unrecordedPerLane = 512
        /// The most outcomes in one transaction: about 3 ms, which is what posts may have to wait for it.
        var recordBatch = 256
        /// How long an outcome may wait for others before they are recorded, in milliseconds,
        var recordDelay: Int64 = 0
        /// and how many make it not wait.
        var recordAtOnce = 64

        struct Threads {
            var steady = 1
            /// What a lane has of one at least: for fewer attempts another is not worth its connections.
            var leastShare = 8
        }
    }

    enum Phase: Equatable {
        case running
        /// No new attempts; those under way have until this time.
        case stopping(deadline: Int64)
        /// Those that were under way then are given up on.
        case aborting
    }

    let limits: Limits
    let policy: RetryPolicy
    var phase = Phase.running

    var lanes = Lanes()
    var turns = Turns()
    var readers = Readers()
    var readBackoff = Backoff.ofStore
    var attempts: Attempts
    var outcomes = Outcomes()

    init(limits: Limits, policy: RetryPolicy) {
        (self.limits, self.policy) = (limits, policy)
        attempts = Attempts(limits)
    }

    /// What is to be done at one moment.
    struct Steps {
        /// Attempts to begin, in this order.
        var begin: [TransportRequest]
        var abort: [UInt64]
        /// Outcomes to record; ``recorded()`` or ``recordFailed(now:)`` follows.
        var record: [AttemptOutcome]
        /// When to ask again if nothing happens before; `.max` if nothing is to come.
        var next: Int64
    }

    /// Has lanes send and read whose time has come, and says what is to be done now.
    mutating func advance(to now: Int64) -> Steps {
        while let index = lanes.popDue(at: now) {
            lanes.with(index) { lane in
                guard lane.readAt <= now else { return }
                lane.readAt = .max
                lane.reading.want()
            }
            settle(index)
        }
        let begin = takeAttempts(now: now)
        let abort = takeAborts(now: now)
        let record = now < outcomes.nextTime(atOnce: recordAtOnce) ? [] : outcomes.take(limits.recordBatch)
        return Steps(begin: begin, abort: abort, record: record, next: nextTime(after: now))
    }

    private func nextTime(after now: Int64) -> Int64 {
        var next = min(lanes.timers.earliest ?? .max, outcomes.nextTime(atOnce: recordAtOnce))
        if turns.isAnyWaiting { next = min(next, attempts.nextSlowAt) }
        next = min(next, attempts.nextLookupEnd)
        if hasReaders, readBackoff.retryAt > now { next = min(next, readBackoff.retryAt) }
        if case .stopping(let deadline) = phase, !attempts.underWay.isEmpty { next = min(next, deadline) }
        return next
    }

    /// Gives a lane the turns and the timer that it is to have now, and forgets it when nothing of it is left.
    mutating func settle(_ index: Int) {
        let mostUnrecorded = limits.unrecordedPerLane
        let (turn, canSend, reading) = lanes.with(index) { lane in
            let canRead = lane.canRead && lane.backlog.unrecorded <= mostUnrecorded
            // Of those that wait each stands where it belongs by now.
            let reading: Reading =
                if canRead, phase == .running || lane.reading.isQueued {
                    .queued(lane.needToRead)
                } else {
                    lane.reading.isQueued ? .wanted : lane.reading
                }
            return (lane.turn, lane.canSend, reading)
        }
        switch turn {
        case .queued: break
        case .none, .held: move(index, to: canSend ? .queued : .none)
        case .parked, .waiting: if !canSend { move(index, to: .none) }
        }
        move(index, to: reading)
        lanes.arm(index)
        lanes.forgetIfSettled(index)
    }

    mutating func move(_ index: Int, to turn: Turn) {
        let (old, owner) = lanes.with(index) { lane in
            defer { lane.turn = turn }
            return (lane.turn, lane.owner)
        }
        if old != turn { turns.move(index, of: owner, from: old, to: turn) }
    }

    mutating func move(_ index: Int, to reading: Reading) {
        let (old, owner) = lanes.with(index) { lane in
            defer { lane.reading = reading }
            return (lane.reading, lane.owner)
        }
        if old != reading { readers.move(index, of: owner, from: old, to: reading) }
    }
}
