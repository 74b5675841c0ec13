import Locking

/// A metric with its series, one for each set of values of its labels.
final class Family: Sendable {
    /// One line of the exposition, or several of a histogram.
    enum Instrument: Sendable {
        case count(Count)
        case level(Level)
        case histogram(Histogram)
    }

    let description: MetricDescription
    private let members = Lock<[[String]: Instrument]>([:])

    init(_ description: MetricDescription) {
        self.description = description
    }

    /// The series of some values of the labels, in the order of the description; made when it is asked for first.
    func instrument(_ values: [String], _ make: () -> Instrument) -> Instrument {
        members.withLock { members in
            if let present = members[values] { return present }
            let made = make()
            members[values] = made
            return made
        }
    }

    /// All series, in the order of their labels' values.
    var series: [(values: [String], instrument: Instrument)] {
        members.withLock { members in
            members.map { (values: $0.key, instrument: $0.value) }
        }.sorted { $0.values.lexicographicallyPrecedes($1.values) }
    }
}
