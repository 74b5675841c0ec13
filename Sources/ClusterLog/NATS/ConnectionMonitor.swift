internal import CNATS
import Locking
import Notation
import Posix
import Synchronization

/// Knows whether a connection is there, and what it carries, without waiting for it: libnats holds the connection's lock
/// while it looks for another server, for a second at each that does not answer, and whoever asks it anything waits so long.
/// So one thread asks; when that has to wait, the connection is not there.
///
/// The same thread finds out when the connection is dead and libnats does not know: it sends itself a message every second; and
/// when the servers refuse it something.
final class ConnectionMonitor: Sendable {
    private let seen: Seen
    private let thread: Thread

    private final class Seen: Sendable {
        let isStopped = Atomic(false)
        /// When it was there last, by the machine's running time in milliseconds; nil stands as the least number.
        let last = Atomic<Int64>(.min)
        let maximumPayload = Atomic(0)
        let isRefused = Atomic(false)
        let start = ContinuousClock.now

        var present: Int64 { (ContinuousClock.now - start).milliseconds }
    }

    /// How often it is looked at.
    private static let interval = Duration.milliseconds(50)
    /// For how long it counts as there after it was seen, in milliseconds: a busy machine may let a thread wait for some.
    private static let validity: Int64 = 500

    /// Watches a connection that is there, until told to stop.
    /// - Parameter lose: called once, on a thread of its own, if it is found dead.
    init(of connection: OpaquePointer, whenDead lose: @escaping @Sendable () -> Void) throws {
        let seen = Seen()
        self.seen = seen
        seen.last.store(seen.present, ordering: .relaxed)
        seen.maximumPayload.store(Int(unsafe natsConnection_GetMaxPayload(connection)), ordering: .relaxed)
        let subject = "\(NATSConnection.inbox).\(NodeID.random().bits).echo"
        var made: OpaquePointer?
        try NATSError.check(
            "natsConnection_SubscribeSync",
            unsafe natsConnection_SubscribeSync(&made, connection, subject)
        )
        // Numbers, for they go to another thread: libnats guards what they point to.
        let (address, echoes) = (UInt(bitPattern: connection), UInt(bitPattern: made))
        thread = try Thread(name: "clarion-watch") {
            guard let connection = unsafe OpaquePointer(bitPattern: address) else { return }
            let echoes = unsafe OpaquePointer(bitPattern: echoes)
            defer { unsafe natsSubscription_Destroy(echoes) }
            var life = LinkLife()
            while !seen.isStopped.load(ordering: .relaxed) {
                let isThere = unsafe natsConnection_Status(connection) == NATS_CONN_STATUS_CONNECTED
                if isThere {
                    let bytes = unsafe natsConnection_GetMaxPayload(connection)
                    seen.maximumPayload.store(Int(bytes), ordering: .relaxed)
                }
                seen.last.store(isThere ? seen.present : .min, ordering: .relaxed)
                let isHeard = unsafe Self.takeAll(of: echoes)
                var text: UnsafePointer<CChar>?
                let isRefused = unsafe natsConnection_GetLastError(connection, &text) == NATS_NOT_PERMITTED
                if isRefused { seen.isRefused.store(true, ordering: .relaxed) }
                switch life.look(isConnected: isThere, isHeard: isHeard, isRefused: isRefused) {
                case .ask: unsafe natsConnection_Publish(connection, subject, nil, 0)
                case .giveUp: Thread.start(name: "clarion-replace", lose)
                case .wait: break
                }
                _ = Semaphore().wait(atMost: Self.interval)
            }
        }
    }

    /// Takes what has come without waiting.
    /// - Returns: whether there was anything.
    private static func takeAll(of subscription: OpaquePointer?) -> Bool {
        var isHeard = false
        var message: OpaquePointer?
        while unsafe natsSubscription_NextMsg(&message, subscription, 0) == NATS_OK {
            unsafe natsMsg_Destroy(message)
            isHeard = true
        }
        return isHeard
    }

    var isConnected: Bool {
        let last = seen.last.load(ordering: .relaxed)
        return last != .min && seen.present - last < Self.validity
    }

    /// Whether the servers have refused it something for want of permission.
    var isRefused: Bool { seen.isRefused.load(ordering: .relaxed) }

    var maximumPayload: Int { seen.maximumPayload.load(ordering: .relaxed) }

    /// Looks at it no more: before it is destroyed.
    func stop() {
        seen.isStopped.store(true, ordering: .relaxed)
        thread.join()
    }
}
