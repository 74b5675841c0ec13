/// How this node keeps up with the log of its cluster.
public struct NodeFigures: Sendable {
    /// Into how many parts webhooks are divided, which nodes share out.
    public static let parts = Parts.all.count

    /// Whether it is connected to one of the servers, as far as is known.
    public let isConnected: Bool

    /// How often it was connected anew.
    public let reconnects: Int

    /// The newest message of the stream that it has taken.
    public let taken: UInt64

    /// How many it has taken since it started.
    public let commands: Int

    /// The parts of the webhooks that it delivers, by number: each is one node's at a time.
    public let leases: [String]

    /// Why it cannot go on and is to be started anew; nil if it can.
    public let fault: String?
}

extension JetStreamLog {
    /// How this node keeps up. Asks nobody.
    public var nodeFigures: NodeFigures {
        NodeFigures(
            isConnected: publisher.isConnected,
            reconnects: publisher.reconnects,
            taken: replica.taken,
            commands: replica.commandCount,
            leases: leases,
            fault: replica.fault
        )
    }

    private var leases: [String] {
        let duty = keeper.duty
        return (0..<Parts.all.count).filter { duty.contains(Parts(rawValue: 1 << $0)) }.map(String.init)
    }
}
