public import CoreMetrics

/// A backend of swift-metrics that keeps its values and shows them to Prometheus (text format 0.0.4).
///
/// It is an object like others: a process may have several, each with its own values, and none has to be bootstrapped.
/// Counting takes no lock; only making an instrument does.
///
/// ```swift
/// let registry = PrometheusRegistry([MetricDescription("posts_total", .counter, labels: ["result"], "Posts.")])
/// let counter = Counter(label: "posts_total", dimensions: [("result", "committed")], factory: registry)
/// counter.increment()
/// print(registry.exposition())
/// ```
public final class PrometheusRegistry: MetricsFactory {
    private let families: [Family]
    private let byName: [String: Family]

    /// - Parameter descriptions: every metric there will be, each name once.
    public init(_ descriptions: [MetricDescription]) {
        families = descriptions.map(Family.init)
        byName = Dictionary(uniqueKeysWithValues: families.map { ($0.description.name, $0) })
    }

    /// Everything as it is now, in the order of the descriptions.
    ///
    /// - Parameter readings: values that are kept elsewhere, to be shown after the others.
    public func exposition(with readings: [MetricReading] = []) -> String {
        var text = Exposition()
        for family in families { text.append(family) }
        for reading in readings { text.append(reading) }
        return text.text
    }

    /// - Precondition: the metric is described, as a counter, with these labels.
    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        guard case .count(let count) = instrument(label, dimensions, { _ in .count(Count()) }) else { mismatch(label) }
        return count
    }

    /// - Precondition: the metric is described, as a gauge, with these labels.
    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        guard case .level(let level) = instrument(label, dimensions, { _ in .level(Level()) }) else { mismatch(label) }
        return level
    }

    /// - Precondition: the metric is described, as a histogram, with these labels.
    public func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        histogram(label, dimensions, scale: 1)
    }

    /// - Precondition: the metric is described, as a histogram in seconds, with these labels.
    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, scale: 1e9)
    }

    // Series stay for as long as the registry does: what was counted must not be forgotten.

    /// Does nothing.
    public func destroyCounter(_ handler: any CounterHandler) {}
    /// Does nothing.
    public func destroyMeter(_ handler: any MeterHandler) {}
    /// Does nothing.
    public func destroyRecorder(_ handler: any RecorderHandler) {}
    /// Does nothing.
    public func destroyTimer(_ handler: any TimerHandler) {}

    private func histogram(_ label: String, _ dimensions: [(String, String)], scale: Double) -> Histogram {
        let instrument = instrument(label, dimensions) { kind in
            guard case .histogram(let bounds) = kind else { self.mismatch(label) }
            return .histogram(Histogram(bounds: bounds, scale: scale))
        }
        guard case .histogram(let histogram) = instrument else { mismatch(label) }
        return histogram
    }

    private func instrument(
        _ label: String,
        _ dimensions: [(String, String)],
        _ make: (MetricDescription.Kind) -> Family.Instrument
    ) -> Family.Instrument {
        guard let family = byName[label], family.description.labels == dimensions.map(\.0) else { mismatch(label) }
        return family.instrument(dimensions.map(\.1)) { make(family.description.kind) }
    }

    private func mismatch(_ label: String) -> Never {
        preconditionFailure("\(label) is not described, or otherwise")
    }
}
