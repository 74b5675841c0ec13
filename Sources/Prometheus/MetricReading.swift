/// A metric without labels whose value is kept by somebody else, such as the system.
public struct MetricReading: Sendable {
    /// What it is.
    public let description: MetricDescription

    /// What it was when it was read.
    public let value: Double

    /// A reading of a counter or a gauge without labels.
    public init(_ description: MetricDescription, _ value: Double) {
        self.description = description
        self.value = value
    }
}
