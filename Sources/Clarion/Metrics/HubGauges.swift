import CoreMetrics
import EventLog
import MicroHTTP
import Prometheus
import Webhooks

/// What a hub has at this moment: read where it is kept, so that it cannot come apart from it.
struct HubGauges: Sendable {
    private let streams: Meter
    private let maximumStreams: Meter
    private let streamsBehind: Meter
    private let outboxBytes: Meter
    private let bodyBytes: Meter
    private let pending: Meter
    private let dead: Meter
    private let inFlight: Meter
    private let topics: Meter
    private let logEvents: Meter
    private let logBytes: Meter
    private let logQueueBytes: Meter
    private let observers: [Standing: Meter]
    private let certificate: (file: ServerCertificate, expiry: Meter)?

    private struct Standing: Hashable {
        let kind: ObserverKind
        let state: ObserverState
    }

    /// - Parameter certificate: nil if the hub speaks no TLS.
    init(_ factory: any MetricsFactory, certificate: ServerCertificate?) {
        func meter(_ metric: MetricDescription) -> Meter { Meter(label: metric.name, factory: factory) }
        streams = meter(Metric.streams)
        maximumStreams = meter(Metric.maximumStreams)
        streamsBehind = meter(Metric.streamsBehind)
        outboxBytes = meter(Metric.outboxBytes)
        bodyBytes = meter(Metric.requestBodyBytes)
        pending = meter(Metric.webhookPending)
        dead = meter(Metric.webhookDead)
        inFlight = meter(Metric.webhookInFlight)
        topics = meter(Metric.topics)
        logEvents = meter(Metric.logEvents)
        logBytes = meter(Metric.logBytes)
        logQueueBytes = meter(Metric.logQueueBytes)
        var observers: [Standing: Meter] = [:]
        for kind in ObserverKind.allCases {
            for state in ObserverState.allCases where kind == .webhook || state == .active {
                observers[Standing(kind: kind, state: state)] = Meter(
                    label: Metric.observers.name,
                    dimensions: [("kind", kind.rawValue), ("state", state.rawValue)],
                    factory: factory
                )
            }
        }
        self.observers = observers
        self.certificate = certificate.map { ($0, meter(Metric.certificateExpiry)) }
    }

    /// Reads everything. Takes time: it looks at every webhook and object, and at every topic in the log.
    ///
    /// - Parameter webhooks: what makes the attempts.
    func read(
        from log: any EventLog,
        _ host: StreamHost,
        _ directory: ObserverDirectory,
        _ webhooks: WebhookDispatcher,
        waitingBytes: Int,
        bodyBytes: Int
    ) async {
        streams.set(host.places.count)
        maximumStreams.set(host.places.maximum)
        streamsBehind.set(host.reader.streamsBehind)
        outboxBytes.set(waitingBytes)
        self.bodyBytes.set(bodyBytes)
        inFlight.set(webhooks.requestsUnderWay)
        if let certificate { certificate.expiry.set(certificate.file.expiry) }
        var counts: [Standing: Int] = [:]
        var streams = 0
        for listed in directory.listed(after: nil) {
            if listed.kind == .stream {
                // There may be ten thousand, and to load one costs more than all else here.
                streams += 1
            } else if let observer = listed.observer {
                counts[Standing(kind: observer.kind, state: observer.state), default: 0] += 1
            }
        }
        counts[Standing(kind: .stream, state: .active)] = streams
        for (standing, meter) in observers { meter.set(counts[standing] ?? 0) }
        // A log that cannot be read, or is closed, leaves them as they were.
        guard let figures = try? await log.figures() else { return }
        topics.set(figures.topics)
        logQueueBytes.set(figures.queuedBytes)
        logEvents.set(figures.events)
        logBytes.set(figures.bytes)
        pending.set(figures.pendingDeliveries)
        dead.set(figures.deadDeliveries)
    }
}
