import Foundation

/// Measures the library in this process, and prints one table.
@main struct Benchmark {
    static func main() {
        let options: Options
        do {
            options = try Options(CommandLine.arguments.dropFirst())
        } catch {
            log("\(error)\n\(Options.usage)")
            exit(2)
        }
        // Here, for valgrind does not survive that dispatch ends the main thread.
        if let design = options.repeated { exit(Benchmark(options: options).loop(design)) }
        // The main thread belongs to the main actor, which is measured, too; posters have a thread of their own.
        Thread { exit(Benchmark(options: options).run()) }.start()
        dispatchMain()
    }

    let options: Options

    private func run() -> Int32 {
        var report = Report()
        for row in options.rows {
            log("\(row.rawValue) …")
            report.findings += findings(row)
        }
        print(report.markdown)
        do {
            if let path = options.json { try report.writeJSON(to: path) }
        } catch {
            log("\(error)")
            return 1
        }
        return options.isEnforcing && !report.areGoalsMet ? 3 : 0
    }

    private func findings(_ row: Options.Row) -> [Finding] {
        let race = options.isQuick ? Race(roundLength: .milliseconds(5), rounds: 3) : Race()
        switch row {
        case .notify:
            return [1, 10, 1_000, 100_000].flatMap { NotifyRow(race: race).measure(observers: $0) }
        case .allocations:
            return AllocationRow().measure()
        case .deliveries:
            return [1, 10, 1_000].flatMap { DeliveryRow(race: race).measure(observers: $0) }
        case .registration:
            return [0, 10_000].flatMap { RegistrationRow(race: race).measure(others: $0) }
        case .churn:
            return ChurnRow(cycles: options.isQuick ? 10_000 : 100_000).measure()
        case .contention:
            return ContentionRow(race: race).measure()
        }
    }

    /// Nothing but notifications of one design, for a profiler to look at.
    private func loop(_ name: String) -> Int32 {
        guard let type = allDesigns.first(where: { $0.name == name }) else {
            log("no such design; there are: \(allDesigns.map { $0.name }.joined(separator: ", "))")
            return 2
        }
        let (design, observers) = type.populated(options.observers) as (any Design, [Counter])
        let clock = ContinuousClock()
        let end = clock.now + .seconds(options.seconds)
        let times = max(1, 100_000 / options.observers)
        repeat { design.notify(times: times) } while clock.now < end
        log("\(observers[0].total) posts to \(observers.count) observers")
        return 0
    }
}

private func log(_ text: String) {
    FileHandle.standardError.write(Data((text + "\n").utf8))
}
