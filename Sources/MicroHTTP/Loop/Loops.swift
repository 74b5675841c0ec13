import Locking
import Posix

/// The event loops of a server, and which of them a connection belongs to.
///
/// `@unchecked Sendable`: the list is made before the threads start, and does not change.
final class Loops: @unchecked Sendable {
    private var loops: [EventLoop] = []
    private let threads = Lock<[Posix.Thread]>([])

    /// A loop gets so many connections before the next one gets any: what few clients do is done by one thread, which
    /// wakes no other, and what many do by all.
    private static let together = 32

    /// Starts the threads.
    init(_ core: HTTPServer.Core) throws(ServerError) {
        for _ in 0..<max(1, core.configuration.threads) { loops.append(try EventLoop(core, among: self)) }
        do throws(SystemError) {
            for (index, loop) in loops.enumerated() {
                let thread = try Posix.Thread(name: "event-loop-\(index)") { loop.run() }
                threads.withLock { $0.append(thread) }
            }
        } catch {
            stop()
            throw ServerError(error)
        }
    }

    /// Open connections, streams among them.
    var connections: Int { loops.reduce(0) { $0 + $1.load } }

    /// Gives a connection to the loop that has the fewest, about.
    func place(_ arrival: Arrival) {
        loops.min { $0.load / Self.together < $1.load / Self.together }?.place(arrival)
    }

    func order(_ orders: LoopInbox.Orders) {
        for loop in loops { loop.order(orders) }
    }

    /// Ends the threads.
    ///
    /// - Precondition: no connection is suspended, and none will be.
    func stop() {
        order(.stop)
        for thread in threads.withLock({ threads in
            defer { threads = [] }
            return threads
        }) { thread.join() }
    }
}
