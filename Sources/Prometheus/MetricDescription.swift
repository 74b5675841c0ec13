/// What a metric is called, counts and is told apart by: one family of the exposition.
public struct MetricDescription: Sendable {
    /// What becomes of its values.
    public enum Kind: Sendable {
        /// Only grows.
        case counter
        /// Goes up and down.
        case gauge
        /// How often values were at most as large as each of these bounds, in the unit of the name.
        case histogram(bounds: [Double])

        /// Its name in the exposition.
        public var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    /// The name, such as `clarion_posts_total`.
    public let name: String

    /// The kind.
    public let kind: Kind

    /// The names of its labels.
    public let labels: [String]

    /// What it says, in one sentence.
    public let help: String

    /// A description of these parts.
    public init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
        self.name = name
        self.kind = kind
        self.labels = labels
        self.help = help
    }
}
