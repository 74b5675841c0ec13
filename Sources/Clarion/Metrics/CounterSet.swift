import CoreMetrics
import Prometheus

/// The counters of a metric with one label, whose values are the cases of a type. All are there from the beginning, so that
/// a first one is seen to be one.
struct CounterSet<Label: RawRepresentable & CaseIterable & Hashable & Sendable>: Sendable
where Label.RawValue == String {
    // Kept, since `allCases` makes a new array, and streams count each delivery.
    private let labels = Array(Label.allCases)
    private let counters: [Counter]

    init(_ metric: MetricDescription, _ factory: any MetricsFactory) {
        counters = Label.allCases.map { label in
            Counter(label: metric.name, dimensions: [(metric.labels[0], label.rawValue)], factory: factory)
        }
    }

    func count(_ label: Label, _ amount: Int = 1) {
        // Few cases: looking through them takes less time than hashing one.
        guard let index = labels.firstIndex(of: label) else { return }
        counters[index].increment(by: Int64(amount))
    }
}

/// What becomes of a post.
enum PostResult: String, CaseIterable {
    case committed
    case replayed
    /// An idempotency key stands for another post, or a condition does not hold.
    case conflict
    case refused
}

/// Why a stream is closed.
enum StreamEnd: String, CaseIterable {
    /// Its client has left, or was given up because it did not read.
    case client
    case unregistered
    /// Another stream has taken its name.
    case replaced
    /// Its credential does not count any more.
    case expired
    case topicDeleted = "topic_deleted"
    case shutdown
    /// The log could not be read for it.
    case error
}
