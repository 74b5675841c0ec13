/// One of those that are measured against each other.
struct Contender {
    let name: String
    /// Does the work as often as it is told.
    let run: (_ times: Int) -> Void
}

/// Measures contenders in turn, A B C A B C …, so that what else runs on the machine slows all of them.
struct Race {
    /// How long a contender runs in a round.
    var roundLength = Duration.milliseconds(30)
    var rounds = 15

    /// - Parameter operations: what one unit of work is divided by, such as the number of observers.
    func callAsFunction(_ contenders: [Contender], operations: Int = 1) -> [Timing] {
        let times = contenders.map(calibrate)
        var timings = contenders.map { _ in [Double]() }
        for _ in 0..<rounds {
            for (index, contender) in contenders.enumerated() {
                let time = ContinuousClock().measure { contender.run(times[index]) }
                timings[index].append(time.nanoseconds / Double(times[index]) / Double(operations))
            }
        }
        return zip(contenders, timings).map { Timing(name: $0.name, rounds: $1) }
    }

    /// Warms up, and finds how often the work fits into a round.
    private func calibrate(_ contender: Contender) -> Int {
        var times = 1
        while true {
            let time = ContinuousClock().measure { contender.run(times) }
            if time * 3 > roundLength { return max(1, Int(Double(times) * (roundLength / time))) }
            times = max(
                times + 1,
                min(times * 100, Int(Double(times) * (roundLength / max(time, .nanoseconds(1))) / 2))
            )
        }
    }
}

extension Duration {
    var nanoseconds: Double { self / .nanoseconds(1) }
}
