public import EventLog
import Posix

/// Looks at a cluster without being a node of it.
///
/// ```swift
/// let visit = try await ClusterVisit.open(ClusterAddress("nats://a:4222?name=shop"))
/// print(try await visit.stream().last)
/// ```
public final class ClusterVisit: Sendable {
    /// Asks the nodes.
    public let exchange: NodeExchange

    /// The stream of the log, as its servers tell of it.
    public struct Stream: Sendable {
        /// How many messages it holds, and their bytes.
        public let messages, bytes: UInt64
        /// The newest message.
        public let last: UInt64
        /// The server that leads it; nil if none does at the moment, or there is one server alone.
        public let leader: String?
        /// The servers that follow that one.
        public let followers: [Follower]
        /// On how many servers it is kept, as was asked for.
        public let replicas: Int
    }

    /// A server that has the stream, too.
    public struct Follower: Sendable {
        /// Its name.
        public let name: String
        /// Whether it has what the leader has.
        public let isCurrent: Bool
    }

    /// Connects to one of the servers.
    /// - Throws: ``EventLogError`` with code `log-unavailable` if none answers.
    public static func open(_ address: ClusterAddress) async throws(EventLogError) -> ClusterVisit {
        try await onThread(or: "No server of the cluster answers (\(address.hosts.joined(separator: ", ")))") {
            ClusterVisit(try NodeExchange(to: address, as: .random()))
        }
    }

    private init(_ exchange: NodeExchange) { self.exchange = exchange }

    deinit { Thread.start(name: "clarion-leave") { [exchange] in exchange.leave() } }

    /// The stream as it is.
    /// - Throws: ``EventLogError`` with code `log-unavailable` if the servers do not tell, `log-foreign` if it is none of this
    ///   program.
    public func stream() async throws(EventLogError) -> Stream {
        try await Self.onThread(or: "JetStream does not answer") { [exchange] in try exchange.stream.standing() }
    }

    /// Does what waits on a thread of its own.
    private static func onThread<Value: Sendable>(
        or words: String,
        _ work: @escaping @Sendable () throws -> Value
    ) async throws(EventLogError) -> Value {
        do {
            return try await Thread.run(name: "clarion-visit") { Result { try work() } }.get()
        } catch {
            throw error as? EventLogError
                ?? EventLogError(code: .unavailable, message: "\(words): \(error).", cause: error)
        }
    }
}

extension NodeExchange {
    /// The stream, by this connection.
    var stream: StreamAPI { StreamAPI(connection: connection, subjects: subjects) }

    /// The newest message of the log's stream; nil if the servers do not answer within half a second.
    public func newestMessage() async -> UInt64? {
        guard connection.isConnected else { return nil }
        return await Thread.run(name: "clarion-newest") { [self] in
            let milliseconds = Self.answerTimeout.components.attoseconds / 1_000_000_000_000_000
            return (try? stream.read(atMost: milliseconds))?.last
        }
    }
}
