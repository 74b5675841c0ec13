import CoreMetrics
import EventLog
import Notation
import Prometheus
import Webhooks

/// What a hub counts: instruments of swift-metrics that count for `GET /metrics`, and for the program's own backend if it
/// has one. Each thing is counted in one place.
final class HubMetrics: Sendable {
    let registry: PrometheusRegistry
    /// What makes instruments.
    let factory: any MetricsFactory
    /// Whether there is somebody beside `GET /metrics`, who is to get the gauges now and then.
    let hasBackend: Bool

    let posts: CounterSet<PostResult>
    let postDuration: Timer
    let streamsOpened: Counter
    let streamsClosed: CounterSet<StreamEnd>
    let deliveries: CounterSet<ObserverKind>
    let gaps: CounterSet<GapReason>

    private let commitDuration: Timer
    private let commitEvents: Recorder
    private let eventBytes: Counter
    private let attempts: CounterSet<AttemptOutcome.Result.Kind>
    private let attemptDuration: Timer
    private let delay: Timer

    /// - Parameters:
    ///   - backend: the program's own; one that drops everything is none.
    ///   - others: what the hub has beside ``Metric/all``.
    init(backend: any MetricsFactory, others: [MetricDescription] = []) {
        registry = PrometheusRegistry(Metric.all + others)
        hasBackend = !(backend is NOOPMetricsHandler)
        factory = hasBackend ? MultiplexMetricsHandler(factories: [registry, backend]) : registry
        posts = CounterSet(Metric.posts, factory)
        postDuration = Timer(Metric.postDuration, factory)
        commitDuration = Timer(Metric.commitDuration, factory)
        commitEvents = Recorder(label: Metric.commitEvents.name, factory: factory)
        eventBytes = Counter(label: Metric.eventBytes.name, factory: factory)
        streamsOpened = Counter(label: Metric.streamsOpened.name, factory: factory)
        streamsClosed = CounterSet(Metric.streamsClosed, factory)
        deliveries = CounterSet(Metric.deliveries, factory)
        gaps = CounterSet(Metric.gaps, factory)
        attempts = CounterSet(Metric.webhookAttempts, factory)
        attemptDuration = Timer(Metric.webhookAttemptDuration, factory)
        delay = Timer(Metric.webhookDelay, factory)
        Meter(label: Metric.buildInfo.name, dimensions: [("version", Hub.version)], factory: factory).set(1)
    }

    /// Counts what one transaction added. On the log's thread.
    func count(_ commit: Commit) {
        commitDuration.recordNanoseconds(commit.duration.nanoseconds)
        commitEvents.record(Int64(commit.events.count))
        eventBytes.increment(by: commit.events.reduce(0 as Int64) { $0 + Int64($1.data.count) })
    }

    /// Counts what became of attempts, once that is recorded.
    func count(_ outcomes: [AttemptOutcome]) {
        for outcome in outcomes {
            attempts.count(outcome.result.kind)
            attemptDuration.recordNanoseconds(outcome.answer.duration * 1_000_000)
            guard outcome.result == .delivered else { continue }
            deliveries.count(.webhook)
            guard outcome.renewals == 0, let committedAt = outcome.committedAt else { continue }
            // The clock of the day may have been set back since.
            delay.recordNanoseconds(min(max(outcome.at - committedAt, 0), Self.longestDelay) * 1_000_000)
        }
    }

    /// A century, in milliseconds: a clock that was set says nothing longer.
    private static let longestDelay: Int64 = 100 * 366 * 86_400_000
}

extension PostResult {
    /// What the log says of a post.
    init(_ result: Result<AppendReceipt, EventLogError>) {
        switch result {
        case .success(let receipt): self = receipt.isReplay ? .replayed : .committed
        case .failure(let error): self = Self.isConflict(error.code.rawValue) ? .conflict : .refused
        }
    }

    /// Whether what a code says is that a key or a condition stands against a post.
    static func isConflict(_ code: String) -> Bool {
        switch EventLogError.Code(rawValue: code) {
        case .idempotencyConflict, .valueChanged: true
        default: false
        }
    }
}

extension Timer {
    fileprivate convenience init(_ metric: MetricDescription, _ factory: any MetricsFactory) {
        self.init(label: metric.name, factory: factory)
    }
}
