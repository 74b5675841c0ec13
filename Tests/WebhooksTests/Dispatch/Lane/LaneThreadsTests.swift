import Randomness
import Testing

@testable import Webhooks

@Suite("LaneThreads")
struct LaneThreadsTests {
    @Test("a lane with few attempts at once has the first thread make them all")
    func few() {
        var threads = LaneThreads()
        for _ in 0..<1000 {
            let begun = (0..<8).map { _ in threads.begin(of: 3, window: 24) }
            #expect(Set(begun) == [.steady(0)])
            for thread in begun { threads.end(on: thread) }
        }
        #expect(threads.count == 0)
    }

    @Test("a full window is shared evenly, and stays so", arguments: [(2, 64), (3, 64), (2, 16), (3, 24), (3, 128)])
    func full(threads count: Int, window: Int) {
        var random = SeededGenerator(seed: 1)
        var threads = LaneThreads()
        var underWay = (0..<window).map { _ in threads.begin(of: count, window: window) }
        for _ in 0..<10_000 {
            threads.end(on: underWay.remove(at: Int.random(in: 0..<window, using: &random)))
            underWay.append(threads.begin(of: count, window: window))
        }
        let share = (window + count - 1) / count
        for number in 0..<count {
            let own = underWay.count { $0 == .steady(number) }
            #expect(own <= share && own >= window - (count - 1) * share)
        }
        #expect(threads.count == window)
    }

    @Test("however attempts end, all threads together see no more connections than the window has places")
    func connections() {
        let fault = firstFault(cases: 200) { random in
            let (count, window) = (random.number(1...5), random.number(1...100))
            var threads = LaneThreads()
            var underWay: [SendingThread] = []
            // The most at once on each is what it has to open.
            var most: [SendingThread: Int] = [:]
            for _ in 0..<500 {
                if underWay.count < window, !random.chance(3) {
                    let thread = threads.begin(of: count, window: window)
                    underWay.append(thread)
                    most[thread] = max(most[thread] ?? 0, underWay.count { $0 == thread })
                } else if !underWay.isEmpty {
                    threads.end(on: underWay.remove(at: random.number(0...underWay.count - 1)))
                }
            }
            let connections = most.values.reduce(0, +)
            return connections <= window ? nil : "\(connections) on \(count) threads, window \(window)"
        }
        #expect(fault == nil)
    }
}

extension LaneThreads {
    fileprivate mutating func begin(of threads: Int, window: Int) -> SendingThread {
        let thread = next(of: .init(steady: threads), window: window)
        begin(on: thread)
        return thread
    }
}
