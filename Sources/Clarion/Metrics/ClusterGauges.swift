import ClusterLog
import CoreMetrics
import Locking
import Prometheus

/// How a node keeps up with its cluster, read when it is asked for.
final class ClusterGauges: Sendable {
    private weak let log: JetStreamLog?
    private let connected, lag, leases, nodes: Meter
    private let commands, reconnects: Counter
    /// What was counted before: the log counts, and this tells of it.
    private let counted = Lock((commands: 0, reconnects: 0))

    init(of log: JetStreamLog, _ factory: any MetricsFactory) {
        self.log = log
        func meter(_ metric: MetricDescription) -> Meter { Meter(label: metric.name, factory: factory) }
        connected = meter(Metric.clusterConnected)
        lag = meter(Metric.clusterLag)
        leases = meter(Metric.clusterLeases)
        nodes = meter(Metric.clusterNodes)
        commands = Counter(label: Metric.clusterCommands.name, factory: factory)
        reconnects = Counter(label: Metric.clusterReconnects.name, factory: factory)
    }

    /// Reads everything; the servers are asked, for half a second at most.
    func read() async {
        guard let log else { return }
        // Asked first: what comes meanwhile is no lag.
        let newest = await log.exchange.newestMessage()
        let figures = log.nodeFigures
        connected.set(figures.isConnected ? 1 : 0)
        if let newest { lag.set(newest > figures.taken ? Int(clamping: newest - figures.taken) : 0) }
        leases.set(figures.leases.count)
        nodes.set(log.exchange.others.count + 1)
        let (commands, reconnects) = counted.withLock { counted in
            defer { counted = (max(counted.commands, figures.commands), max(counted.reconnects, figures.reconnects)) }
            return (figures.commands - counted.commands, figures.reconnects - counted.reconnects)
        }
        self.commands.increment(by: max(commands, 0))
        self.reconnects.increment(by: max(reconnects, 0))
    }
}
