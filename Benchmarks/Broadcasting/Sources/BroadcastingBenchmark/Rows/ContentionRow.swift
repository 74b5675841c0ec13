import Foundation
import Synchronization

/// Two threads post for the same observers at once. Both write to the same objects: a hard case.
struct ContentionRow {
    static let name = "two threads notify"

    let race: Race
    let observers = 10

    func measure() -> [Finding] {
        let designs: [any (Design & Sendable).Type] = [BroadcasterDesign.self, FoundationCenter.self]
        return designs.flatMap { type -> [Finding] in
            let (design, observers) = type.populated(observers) as (any Design & Sendable, [Counter])
            let timings = race(
                [
                    Contender(name: type.name + ", one thread") { design.notify(times: $0) },
                    Contender(name: type.name + ", two threads") { times in
                        let other = DispatchWorkItem { design.notify(times: times / 2) }
                        DispatchQueue.global().async(execute: other)
                        design.notify(times: times - times / 2)
                        other.wait()
                    },
                ],
                operations: observers.count
            )
            var both = Finding(Self.name, observers: observers.count, timings[1])
            both.remark = "\(figure(timings[1].ratio(to: timings[0]))) × the time of one thread for the same work"
            return [Finding(Self.name, observers: observers.count, timings[0]), both]
        }
    }

    private func figure(_ number: Double) -> String { number.formatted(.number.precision(.significantDigits(2))) }
}
