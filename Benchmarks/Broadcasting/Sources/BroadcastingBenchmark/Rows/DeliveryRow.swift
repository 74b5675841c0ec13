import Broadcasting
import Foundation
import Synchronization

/// One post to observers that are called elsewhere: time for each until the last has been called.
struct DeliveryRow {
    let race: Race

    func measure(observers: Int) -> [Finding] {
        let queue = DispatchQueue(label: "serial")
        let stage = Stage()
        return
            race("background", .background, observers) { call in Task { @concurrent in call() } }
            + race("serial queue", .queue(queue), observers, operations(on: queue)) { queue.async(execute: $0) }
            + race("main", .main, observers, .main) { DispatchQueue.main.async(execute: $0) }
            + race("actor", .actor(stage), observers) { call in Task { await stage.perform(call) } }
    }

    private actor Stage {
        func perform(_ call: () -> Void) { call() }
    }

    private func operations(on queue: DispatchQueue) -> OperationQueue {
        let operations = OperationQueue()
        // Unowned: `measure` holds the queue for as long as operations come.
        unsafe operations.underlyingQueue = queue
        operations.maxConcurrentOperationCount = 1
        return operations
    }

    /// - Parameter handOver: takes one call to where the delivery leads; the floor does so for each observer.
    private func race(
        _ name: String,
        _ delivery: Delivery,
        _ count: Int,
        _ operations: OperationQueue? = nil,
        handOver: @escaping (@escaping @Sendable () -> Void) -> Void
    ) -> [Finding] {
        let arrivals = Arrivals(expected: count)
        let observers = (0..<count).map { _ in Guest(arrivals) }

        let floor = Contender(name: "hand-over of bare closures") { times in
            for _ in 0..<times {
                for observer in observers { handOver { observer.count() } }
                arrivals.wait()
            }
        }
        let broadcaster = Broadcaster()
        for observer in observers { broadcaster.register((any Counting).self, observer: observer, deliver: delivery) }
        let own = Contender(name: "Broadcaster") { times in
            for _ in 0..<times {
                broadcaster.notify((any Counting).self) { $0.count() }
                arrivals.wait()
            }
        }
        let centers = operations.map { [center(observers, $0, arrivals)] } ?? []

        let timings = race([floor, own] + centers, operations: count)
        return timings.map {
            Finding("notify, \(name)", observers: count, $0, floor: timings[0], center: timings.dropFirst(2).first)
        }
    }

    private func center(_ observers: [Guest], _ operations: OperationQueue, _ arrivals: Arrivals) -> Contender {
        let center = NotificationCenter()
        let counted = Notification.Name("counted")
        for observer in observers {
            _ = center.addObserver(forName: counted, object: nil, queue: operations) { _ in observer.count() }
        }
        return Contender(name: FoundationCenter.name) { times in
            for _ in 0..<times {
                center.post(name: counted, object: nil)
                arrivals.wait()
            }
        }
    }
}

/// An observer that reports that it was called.
private final class Guest: Counting {
    private let arrivals: Arrivals

    init(_ arrivals: Arrivals) { self.arrivals = arrivals }

    func count() { arrivals.report() }
}

/// Wakes who waits when all that are expected have come.
private final class Arrivals: Sendable {
    private let expected: Int
    private let missing: Atomic<Int>
    private let complete = DispatchSemaphore(value: 0)

    init(expected: Int) {
        self.expected = expected
        missing = Atomic(expected)
    }

    func report() {
        if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { complete.signal() }
    }

    func wait() {
        complete.wait()
        missing.store(expected, ordering: .releasing)
    }
}
