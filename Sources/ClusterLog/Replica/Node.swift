import EventLog
import Locking
import Posix
import Synchronization

/// A node's part in the cluster: its connection, its copy of the log, and the threads that keep it up to date. It leaves once,
/// also if whoever used it lets go of it.
final class Node: Sendable {
    let index: SQLiteEventLog
    let publisher: Publisher
    let replica: Replica
    let keeper: LeaseKeeper
    let subjects: Subjects
    /// What is asked of other nodes, and answered to them.
    let exchange: NodeExchange
    private let connection: NATSConnection
    private let folder: NodeFolder
    private let isStopped = Stop()
    private let leaving = Lock<Task<Void, Never>?>(nil)
    private let threads = Lock<[Thread]>([])

    private final class Stop: Sendable {
        let flag = Atomic(false)
    }

    /// What a node is started with.
    struct Start: Sendable {
        let address: ClusterAddress
        /// Where the copy is; nil for the folder of temporary files.
        var folder: String?
        var limits = SQLiteEventLog.Limits()
        /// The clock by which events are too old; nil for the servers', by which they are dated.
        var clock: (@Sendable () -> Timestamp)?
        var elapsed: (@Sendable () -> Duration)?
        var numbering = Replica.Numbering()
        /// Told, as a sentence, of what the operator should look at.
        var report: @Sendable (String) -> Void = { _ in }
    }

    /// Joins the cluster, and takes in what its log holds so far. Waits for servers: not for a thread of the concurrency pool.
    init(_ start: Start) throws {
        let node = NodeID.random()
        subjects = Subjects(of: start.address.name)
        connection = try Self.connect(start.address)
        let stream = StreamAPI(connection: connection, subjects: subjects)
        let found = try Self.opened(stream, replicas: start.address.replicas)
        if let lossy = found.lossySettings {
            throw EventLogError(code: .unavailable, message: StreamWatch.fault(of: subjects.stream, lossy))
        }
        exchange = try NodeExchange(to: start.address, as: node)
        let clock = StreamClock()
        // What this sends nobody hears, and the servers forget it: it is asked for the time.
        let nobody = "\(NATSConnection.inbox).\(node.bits).clock"
        try clock.set { try stream.consume(from: found.last + 1, to: nobody, heartbeat: 1_000) }
        folder = NodeFolder(in: start.folder)
        do {
            index = try SQLiteEventLog(
                at: .directory(folder.path),
                durability: .process,
                limits: start.limits,
                as: found.epoch,
                clock: start.clock ?? { clock.now },
                elapsed: start.elapsed
            )
        } catch {
            folder.remove()
            throw error
        }
        publisher = Publisher(connection, node: node, limit: start.limits.queuedBytes)
        keeper = LeaseKeeper(publisher, subjects: subjects, node: node)
        replica = Replica(
            index,
            publisher: publisher,
            keeper: keeper,
            subjects: subjects,
            node: node,
            numbering: start.numbering,
            report: start.report
        )
        do {
            try begin(stream, through: found.last, by: clock)
        } catch {
            connection.close()
            end()
            try Waiting.wait { [index] () async throws(EventLogError) in await index.close() }
            folder.remove()
            throw error
        }
    }

    /// Starts the threads, and waits until the copy has what the stream has.
    private func begin(_ stream: StreamAPI, through last: UInt64, by clock: StreamClock) throws {
        replica.begin(after: last)
        let isDone: @Sendable () -> Bool = { [isStopped] in isStopped.flag.load(ordering: .relaxed) }
        let follower = Follower(stream, into: replica, by: clock, until: isDone)
        for thread in try publisher.run(until: isDone) { keep(thread) }
        keep(try Thread(name: "clarion-stream") { follower.run() })
        var last = last
        let began = ContinuousClock.now
        var come = (through: replica.taken, at: began)
        // Whoever opens the log finds in it what was acknowledged before, and that is not long ago.
        while !replica.hasAll {
            if replica.taken >= last {
                guard let newest = try? stream.read().last, newest > last + Self.nearTheEnd else { break }
                last = newest
            }
            if let fault = replica.fault { throw EventLogError(code: .unavailable, message: fault) }
            // Servers that have just begun have no leader for some seconds, and then no consumer. One that waits to be told
            // that what it has sent was taken says no more than that it is there.
            if replica.taken > come.through { come = (replica.taken, .now) }
            if ContinuousClock.now - come.at > .seconds(3 * Self.joinTime) {
                let message = """
                    The cluster's log could not be read to its end: no server sends it. If the servers have users with \
                    permissions, see that they are those of docs/clustering.md.
                    """
                throw EventLogError(code: .unavailable, message: follower.trouble ?? message)
            }
            _ = Semaphore().wait(atMost: .milliseconds(2))
        }
        // What was taken is committed then.
        _ = try? Waiting.wait { [index] () async throws(EventLogError) in try await index.probe() }
        keep(try Thread(name: "clarion-lease") { [keeper] in keeper.run(until: isDone) })
        keep(
            try Thread(name: "clarion-purge", niceness: 5) { [replica] in
                StreamPurge(stream, replica).run(until: isDone)
            }
        )
        keep(
            try Thread(name: "clarion-reserve") { [replica, exchange] in
                StreamWatch(stream, replica, exchange).run(until: isDone)
            }
        )
    }

    private func keep(_ thread: Thread) { threads.withLock { $0.append(thread) } }

    /// Ends the threads.
    private func end() {
        isStopped.flag.store(true, ordering: .relaxed)
        for thread in threads.withLock({ $0 }) { thread.join() }
    }

    /// How many messages may come while the rest is read.
    private static let nearTheEnd: UInt64 = 1_000
    /// For how long servers are waited for at the start, in seconds.
    private static let joinTime = 10.0

    private static func connect(_ address: ClusterAddress) throws -> NATSConnection {
        try retry {
            try NATSConnection(to: address, as: "clarion")
        } whenOverdue: { error in
            EventLogError(
                code: .unavailable,
                message: "No server of the cluster answers (\(address.hosts.joined(separator: ", "))): \(error)."
            )
        }
    }

    /// A cluster of servers that has just begun has no leader for some seconds.
    private static func opened(_ stream: StreamAPI, replicas: Int) throws -> StreamAPI.Stream {
        try retry {
            try stream.open(replicas: replicas)
        } whenOverdue: { error in
            (error as? EventLogError)
                ?? EventLogError(code: .unavailable, message: "JetStream does not answer: \(error). Is it enabled?")
        }
    }

    private static func retry<Value>(
        _ work: () throws -> Value,
        whenOverdue overdue: (any Error) -> EventLogError
    ) throws -> Value {
        let deadline = ContinuousClock.now + .seconds(joinTime)
        while true {
            do { return try work() } catch let error {
                if (error as? EventLogError)?.code == .foreign { throw error }
                guard ContinuousClock.now < deadline else { throw overdue(error) }
                _ = Semaphore().wait(atMost: .milliseconds(200))
            }
        }
    }

    /// Lets what was published come back, leaves the cluster, and removes this node's copy. Once; whoever asks again waits.
    func leave() async {
        let task = leaving.withLock { leaving in
            let task = leaving ?? Task { await leaveOnce() }
            leaving = task
            return task
        }
        await task.value
    }

    private func leaveOnce() async {
        await Thread.run(name: "clarion-leave") { [exchange] in exchange.leave() }
        // One that hears nothing any more would not hear that it has left either.
        if replica.fault == nil { await keeper.release() }
        publisher.close()
        let deadline = ContinuousClock.now + Publisher.longest
        // What does not come back is not waited for.
        while !publisher.isEmpty, replica.fault == nil, replica.stagnation == nil, ContinuousClock.now < deadline {
            try? await Task.sleep(for: .milliseconds(2))
        }
        publisher.failAll(.isClosed)
        isStopped.flag.store(true, ordering: .relaxed)
        connection.close()
        await Thread.run(name: "clarion-leave") { [self] in end() }
        await index.close()
        folder.remove()
    }
}
