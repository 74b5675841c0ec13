import Synchronization

/// What a server has in hand, so that it can be stopped without losing an answer.
///
/// Libmicrohttpd must not be stopped with suspended connections (it aborts the process), and a kept-alive connection
/// can bring a request at any moment. So suspending passes a gate which the stop closes.
final class InFlight: Sendable {
    /// How many connections are suspended; the sign bit says that the gate is closed.
    private let gate = Atomic<Int>(0)
    private let exchanges = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)

    /// Suspended connections: requests that wait for their answer, and streams that are written on libmicrohttpd's socket.
    var suspended: Int { gate.load(ordering: .acquiring) & Int.max }

    /// Whether nothing is suspended, every request that was begun has been answered, and every stream has ended.
    var isEmpty: Bool { suspended == 0 && exchanges.load(ordering: .acquiring) == 0 }

    /// Whether the server wants to stop: connections are then closed after their answer.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    func begin() { exchanges.add(1, ordering: .relaxed) }

    func complete() { exchanges.subtract(1, ordering: .releasing) }

    /// Asks to suspend a connection. If it returns true, ``leave()`` follows when resuming it has returned: until then
    /// libmicrohttpd's function is at work inside the daemon.
    func enter() -> Bool {
        guard gate.add(1, ordering: .acquiringAndReleasing).newValue > 0 else {
            leave()
            return false
        }
        return true
    }

    func leave() { gate.subtract(1, ordering: .releasing) }

    /// Nothing is suspended from now on.
    func close() { gate.bitwiseOr(Int.min, ordering: .acquiringAndReleasing) }
}
