import ClusterLog
import EventLog
import FoundationEssentials
import JSON

/// How one node of a cluster is, as it tells who asks.
public struct NodeStatus: Sendable, Equatable {
    /// Its name, such as `node-00f3a1b2c4d5e6f7`: another at each start.
    public let name: String
    /// The machine that it runs on, and the port that it listens on; 0 if it does not.
    public let host: String, port: Int
    /// Of the hub.
    public let version: String
    /// When it started.
    public let startedAt: Timestamp
    /// How many streams are open there.
    public let streams: Int
    /// What it holds of what one node has at a time.
    public let leases: [String]
    /// The newest message of the stream that it has taken.
    public let taken: Int
    /// Whether it is connected to the servers with the connection for the log.
    public let isConnected: Bool
    /// Why it cannot go on; nil if it can.
    public let fault: String?
    /// The other nodes that it knows.
    let known: [String]

    var json: JSONValue {
        [
            "node": .string(name), "host": .string(host), "port": JSONValue(port), "version": .string(version),
            "startedAt": .string(startedAt.rfc3339), "streams": JSONValue(streams),
            "leases": .array(leases.map(JSONValue.string)), "taken": JSONValue(taken),
            "connected": .bool(isConnected),
            "fault": JSONValue(fault), "known": .array(known.map(JSONValue.string)),
        ]
    }

    /// - Parameter name: as who it answers.
    /// - Returns: nil for what no node says.
    init?(_ value: JSONValue, of name: String) {
        guard let host = value["host"]?.text, let port = value["port"]?.number, 0...65_535 ~= port,
            let version = value["version"]?.text,
            let startedAt = value["startedAt"]?.text.flatMap({ Timestamp(rfc3339: $0) }),
            let streams = value["streams"]?.number, streams >= 0, let leases = value["leases"]?.all(\.text),
            let taken = value["taken"]?.number, taken >= 0, case .bool(let isConnected) = value["connected"],
            let known = value["known"]?.all(\.text)
        else { return nil }
        (self.name, self.host, self.port, self.version, self.startedAt) = (name, host, port, version, startedAt)
        (self.streams, self.leases, self.taken, self.isConnected) = (streams, leases, taken, isConnected)
        (fault, self.known) = (value["fault"]?.text, known)
    }

    /// That of a hub.
    init(of hub: Hub, _ log: JetStreamLog) {
        let figures = log.nodeFigures
        name = log.exchange.name
        host = ProcessInfo.processInfo.hostName
        port = Int(hub.port)
        version = Hub.version
        startedAt = hub.startedAt
        streams = hub.streams.places.count
        leases = figures.leases
        taken = Int(clamping: figures.taken)
        isConnected = figures.isConnected
        fault = figures.fault
        known = log.exchange.others
    }
}
