/// What a contender took in each round, in nanoseconds for one operation.
struct Timing: Sendable {
    let name: String
    let rounds: [Double]

    var median: Double { rounds.median }
    var least: Double { rounds.min() ?? .nan }

    /// The median of the ratios within each round, which what else runs on the machine falsifies least.
    func ratio(to other: Timing) -> Double {
        zip(rounds, other.rounds).map { $0 / $1 }.median
    }
}

extension [Double] {
    var median: Double {
        guard !isEmpty else { return .nan }
        let sorted = sorted()
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2
    }
}
