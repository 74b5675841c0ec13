/// One post on the poster's thread: time for each observer.
struct NotifyRow {
    static let name = "notify, immediate"

    let race: Race

    func measure(observers: Int) -> [Finding] {
        let populations = allDesigns.map { $0.populated(observers) as (any Design, [Counter]) }
        let timings = race(populations.map(contender), operations: observers)
        let floor = timings.first { $0.name == ClosureArray.name }
        let center = timings.first { $0.name == FoundationCenter.name }
        return zip(allDesigns, timings).map { design, timing in
            var finding = Finding(Self.name, observers: observers, timing, floor: floor, center: center)
            if design is any WeakDesign.Type, let times = finding.timesFloor, let faster = finding.timesFaster {
                finding.goals = [.atMost(3, timesFloor: times), .atLeast(5, timesFaster: faster)]
            }
            return finding
        }
    }

    /// Checks in passing that nobody is forgotten and nobody called twice.
    private func contender(_ design: any Design, _ observers: [Counter]) -> Contender {
        var expected = 0
        return Contender(name: type(of: design).name) { times in
            design.notify(times: times)
            expected += times
            precondition(observers[0].total == expected && observers[observers.count - 1].total == expected)
        }
    }
}
