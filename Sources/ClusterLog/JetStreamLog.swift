public import EventLog
import Posix

/// The log of a cluster: a stream of NATS JetStream, which its servers keep and order, and which any number of nodes write to
/// and follow.
///
/// What is asked of the log is published as a command; every node takes all commands from the stream in the same order and
/// carries them out on a copy of its own (``Replica``), from which it answers what is read. So a node holds nothing that
/// cannot be lost, and a condition, an idempotency key or a revision means in a cluster what it means in one process.
///
/// ```swift
/// let log = try await JetStreamLog.open(ClusterAddress("nats://a:4222,nats://b:4222?name=shop"))
/// log.follow { commit in … }
/// ```
public final class JetStreamLog: EventLog {
    let node: Node
    let probes: Probes
    private let admissions = Admissions()

    /// Joins the cluster, and takes in what its log holds so far.
    /// - Parameters:
    ///   - address: where the servers are, and the name of the log, which is made if there is none.
    ///   - folder: where the node keeps its copy of the log while it runs; nil for the folder of temporary files.
    ///   - limits: what the node bounds; all nodes of a cluster should say the same.
    ///   - report: told, as a sentence, of what the operator should look at. Called on the log's thread.
    /// - Throws: ``EventLogError`` with code `log-unavailable` if no server answers within ten seconds, or the stream is set so
    ///   that its servers remove by themselves what it holds; `log-foreign` if it is none of this program.
    public static func open(
        _ address: ClusterAddress,
        copyIn folder: String? = nil,
        limits: SQLiteEventLog.Limits = SQLiteEventLog.Limits(),
        report: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(EventLogError) -> JetStreamLog {
        let start = Node.Start(address: address, folder: folder, limits: limits, report: report)
        let result = await Thread.run(name: "clarion-join") {
            Result { try JetStreamLog(start) }.mapError {
                $0 as? EventLogError ?? ($0 as? NATSError).map(EventLogError.init)
                    ?? EventLogError(code: .unavailable, message: "The cluster cannot be joined.", cause: $0)
            }
        }
        return try result.get()
    }

    init(_ start: Node.Start) throws {
        node = try Node(start)
        probes = Probes(node.publisher, to: node.subjects.probe)
    }

    deinit {
        Task { [node] in await node.leave() }
    }

    /// Asks the other nodes of the cluster what only they know.
    public var exchange: NodeExchange { node.exchange }

    var index: SQLiteEventLog { node.index }
    var publisher: Publisher { node.publisher }
    var replica: Replica { node.replica }
    var keeper: LeaseKeeper { node.keeper }
    var subjects: Subjects { node.subjects }

    /// The identity of this log.
    public var epoch: LogEpoch { index.epoch }

    /// The newest event that this node has taken from the stream.
    public var tail: Position { index.tail }

    /// Hands drafts to the log: see ``EventLog/append(_:if:acknowledge:)``. They are acknowledged when this node has them.
    public func append(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        if let refusal = refusal ?? replica.fullness { return acknowledge(.failure(refusal)) }
        guard drafts.count < Placement.keyed else {
            let message = "More than \(Placement.keyed) events cannot be posted together."
            return acknowledge(.failure(EventLogError(code: .limitReached, message: message)))
        }
        if index.takesAll(drafts), admissions.isIdle { return publish(drafts, if: condition, acknowledge) }
        admit(drafts, if: condition, acknowledge)
    }

    /// Publishes what was not posted before, in turn with others of which that must be found first.
    private func admit(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        _ acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        let isTaken = admissions.enqueue { [self] in
            var replays: [Int: Event] = [:]
            do throws(EventLogError) {
                if !index.takesAll(drafts) { replays = try await index.admit(drafts) }
            } catch {
                if error.code == .limitReached { return acknowledge(.failure(error)) }
                // It is refused in its turn, after what was posted before.
            }
            publish(NewDrafts(of: drafts, replays), if: condition, acknowledge)
        }
        if !isTaken { acknowledge(.failure(.overloaded)) }
    }

    private func publish(
        _ new: NewDrafts,
        if condition: AppendCondition?,
        _ acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        publish(new.drafts, if: condition, beside: new.usedKeys) { [self] result in
            switch result.map(new.receipt) {
            case .success(let receipt?): acknowledge(.success(receipt))
            // Others have posted some of it meanwhile, or deleted what was posted before, and nothing was written.
            case .success(nil): admit(new.all, if: condition, acknowledge)
            case .failure(let error): acknowledge(.failure(new.error(error)))
            }
        }
    }

    private func publish(
        _ drafts: [EventDraft],
        if condition: AppendCondition?,
        beside used: [UsedKey] = [],
        _ acknowledge: @escaping @Sendable (Result<AppendReceipt, EventLogError>) -> Void
    ) {
        let topic = drafts.first?.topic
        let isOfOne = drafts.allSatisfy { $0.topic == topic }
        let subject = isOfOne ? topic.map(subjects.events) ?? subjects.probe : subjects.batch
        publisher.send(
            .append(drafts, if: condition, beside: used),
            to: subject,
            isBounded: true,
            .append(drafts, acknowledge)
        )
    }

    /// Runs the body: the log commits elsewhere.
    public func together(_ body: () -> Void) { body() }

    /// Has every commit that adds events told to a follower: see ``EventLog/follow(_:)``.
    public func follow(_ follower: @escaping @Sendable (Commit) -> Void) { index.follow(follower) }

    /// Why nothing is taken; nil if it is.
    var refusal: EventLogError? {
        replica.fault.map { EventLogError(code: .unavailable, message: $0) }
    }

    /// Publishes a change, and waits until this node has carried it out.
    func change(_ command: Command) async throws(EventLogError) -> Applied {
        if let refusal { throw refusal }
        return try await publisher.perform(command, to: subjects.changes)
    }

    /// Lets what was published come back, and leaves the cluster: see ``EventLog/close()``.
    public func close() async { await node.leave() }
}
