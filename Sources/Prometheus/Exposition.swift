/// The text that Prometheus reads, format 0.0.4
/// (<https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>).
struct Exposition {
    private(set) var text = ""

    /// Appends a metric that has any series.
    mutating func append(_ family: Family) {
        let series = family.series
        guard !series.isEmpty else { return }
        let (name, labels) = (family.description.name, family.description.labels)
        head(of: family.description)
        for (values, instrument) in series {
            let pairs = zip(labels, values).map { "\($0)=\"\(Self.escape($1))\"" }
            switch instrument {
            case .count(let count): line(name, pairs, Self.number(Double(count.value)))
            case .level(let level): line(name, pairs, Self.number(level.value))
            case .histogram(let histogram): append(histogram, name, pairs)
            }
        }
    }

    /// Appends a metric without labels.
    mutating func append(_ reading: MetricReading) {
        head(of: reading.description)
        line(reading.description.name, [], Self.number(reading.value))
    }

    private mutating func append(_ histogram: Histogram, _ name: String, _ pairs: [String]) {
        // The sum first: it may then be of fewer values than are counted, and a mean is not more than they were.
        let sum = histogram.sum
        let counts = histogram.counts
        let bounds = histogram.bounds.map(Self.number) + ["+Inf"]
        for (bound, count) in zip(bounds, counts) {
            line(name + "_bucket", pairs + ["le=\"\(bound)\""], "\(count)")
        }
        line(name + "_sum", pairs, Self.number(sum))
        line(name + "_count", pairs, "\(counts[counts.count - 1])")
    }

    private mutating func head(of description: MetricDescription) {
        let help = description.help.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
        text += "# HELP \(description.name) \(help)\n# TYPE \(description.name) \(description.kind.name)\n"
    }

    private mutating func line(_ name: String, _ pairs: [String], _ value: String) {
        text += pairs.isEmpty ? "\(name) \(value)\n" : "\(name){\(pairs.joined(separator: ","))} \(value)\n"
    }

    private static func escape(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
