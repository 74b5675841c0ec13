public import ClusterLog
public import EventLog
import JSON

/// How a cluster is: its nodes, and the stream that they share.
///
/// ```swift
/// let status = try await ClusterStatus.read(ClusterAddress("nats://a:4222?name=shop"))
/// for fault in status.faults { print(fault) }
/// ```
public struct ClusterStatus: Sendable {
    /// The nodes that have answered, in the order of their names.
    public let nodes: [NodeStatus]

    /// The names of nodes that others know and that have not answered.
    public let missing: [String]

    /// How many messages the stream holds, and their bytes.
    public let messages: Int, bytes: Int

    /// The newest message of the stream when it was looked at, before the nodes were.
    public let last: Int

    /// The server that leads the stream; nil if none does at the moment, or there is one server alone.
    public let leader: String?

    /// The servers that follow it, and those of them that do not keep up or cannot be reached.
    public let followers: [String], lateFollowers: [String]

    /// On how many servers the stream is to be kept.
    public let replicas: Int

    /// The nodes that had not taken what the stream held, when they were asked again after some seconds.
    public let lateNodes: [String]

    /// How many of the parts of webhooks nobody delivered, also when the nodes were asked again after some seconds.
    public var undelivered: Int { Self.undelivered(by: nodes) }

    /// How many messages of the stream a node has not taken yet.
    public func lag(of node: NodeStatus) -> Int { max(0, last - node.taken) }

    /// What is wrong, in words; nothing if all is well.
    public var faults: [String] {
        var faults: [String] = []
        if nodes.isEmpty { faults.append("no node answers") }
        faults += missing.map { "\($0) does not answer" }
        faults += nodes.filter { !$0.isConnected }.map { "\($0.name) is not connected to the servers" }
        faults += nodes.compactMap { node in node.fault.map { "\(node.name) is to be started anew: \($0)" } }
        faults += lateNodes.map { "\($0) does not keep up with the stream" }
        if !nodes.isEmpty, undelivered > 0 {
            faults.append("nobody delivers to webhooks of \(undelivered) of \(NodeFigures.parts) parts")
        }
        if replicas > 1, leader == nil { faults.append("no server leads the stream") }
        faults += lateFollowers.map { "server \($0) does not keep up with the stream" }
        return faults
    }

    /// Asks the servers, and all nodes: takes about a second, and some more if a node is behind.
    ///
    /// - Throws: `EventLogError` with code `log-unavailable` if no server answers, or there is no such log; `log-foreign` if the
    ///   stream is none of this program.
    public static func read(_ address: ClusterAddress) async throws(EventLogError) -> ClusterStatus {
        let visit = try await ClusterVisit.open(address)
        let stream = try await visit.stream()
        let last = Int(clamping: stream.last)
        var nodes = await ask(visit)
        // One that is asked in the middle of much is behind for a moment; one that is still there later does not keep up. And
        // parts may be on their way from one to another.
        if nodes.said.contains(where: { $0.taken < last }) || undelivered(by: nodes.said) > 0 {
            try? await Task.sleep(for: interval)
            nodes = await ask(visit)
        }
        return ClusterStatus(
            nodes: nodes.said,
            missing: nodes.missing,
            messages: Int(clamping: stream.messages),
            bytes: Int(clamping: stream.bytes),
            last: last,
            leader: stream.leader,
            followers: stream.followers.map(\.name),
            lateFollowers: stream.followers.filter { !$0.isCurrent }.map(\.name),
            replicas: stream.replicas,
            lateNodes: nodes.said.filter { $0.taken < last }.map(\.name)
        )
    }

    /// More than the time in which the lease is renewed: what was newest may have been removed, and something comes after it.
    private static let interval = Duration.seconds(3)

    private static func undelivered(by nodes: [NodeStatus]) -> Int {
        NodeFigures.parts - Set(nodes.flatMap(\.leases)).count
    }

    /// Who may be there and is not known has this long to answer.
    private static let answerTimeout = Duration.seconds(1)

    private static func ask(_ visit: ClusterVisit) async -> (said: [NodeStatus], missing: [String]) {
        let answers = await visit.exchange.ask(NodeQuestion.status.bytes, atMost: answerTimeout, isOpenEnded: true)
        let said = answers.said.sorted { $0.key < $1.key }.compactMap { name, bytes in
            JSONValue(parsing: bytes).flatMap { NodeStatus($0, of: name) }
        }
        let known = Set(said.flatMap(\.known)).union(answers.said.keys).union(answers.missing ?? [])
        return (said, known.subtracting(said.map(\.name)).sorted())
    }
}
