internal import CNATS
import Locking
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection of libnats, which it makes anew, to another server, when it is lost. It is given up, and another one takes its
/// place, when it is dead without libnats noticing: see ``NATSConnection``.
///
/// `@unchecked Sendable`: the pointer does not change, and libnats guards what it points to.
@safe
final class NATSLink: @unchecked Sendable {
    private let pointer: OpaquePointer
    let watch: ConnectionMonitor
    /// Subscriptions that have ended and that libnats' reading thread may still have in hand: their addresses.
    private let ended = Lock<[UInt]>([])

    /// Connects to the first server that answers.
    /// - Parameter lose: called once, on a thread of its own, if the link is found dead.
    init(
        to address: ClusterAddress,
        as name: String,
        whenDead lose: @escaping @Sendable () -> Void
    ) throws(NATSError) {
        var made: OpaquePointer?
        try NATSError.check("natsOptions_Create", unsafe natsOptions_Create(&made))
        guard let options = unsafe made else { throw NATSError("natsOptions_Create gave nothing") }
        defer { unsafe natsOptions_Destroy(options) }
        try unsafe Self.set(options, address, name)
        var connection: OpaquePointer?
        try NATSError.check("natsConnection_Connect", unsafe natsConnection_Connect(&connection, options))
        guard let connection = unsafe connection else { throw NATSError("natsConnection_Connect gave nothing") }
        unsafe pointer = connection
        do {
            watch = try unsafe ConnectionMonitor(of: connection, whenDead: lose)
        } catch {
            unsafe natsConnection_Destroy(connection)
            throw NATSError("there is no thread that watches the connection: \(error)")
        }
    }

    private static func set(_ options: OpaquePointer, _ address: ClusterAddress, _ name: String) throws(NATSError) {
        // libnats copies them.
        let copies = unsafe address.servers.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        var pointers = unsafe copies.map { unsafe UnsafePointer<CChar>($0) }
        let count = unsafe Int32(pointers.count)
        try NATSError.check("natsOptions_SetServers", unsafe natsOptions_SetServers(options, &pointers, count))
        try NATSError.check("natsOptions_SetName", unsafe natsOptions_SetName(options, name))
        // Whoever publishes at that moment waits for it: see ConnectionMonitor.
        try NATSError.check("natsOptions_SetTimeout", unsafe natsOptions_SetTimeout(options, 1_000))
        try NATSError.check("natsOptions_SetMaxReconnect", unsafe natsOptions_SetMaxReconnect(options, -1))
        try NATSError.check("natsOptions_SetReconnectWait", unsafe natsOptions_SetReconnectWait(options, 200))
        try NATSError.check("natsOptions_SetPingInterval", unsafe natsOptions_SetPingInterval(options, 2_000))
        try NATSError.check("natsOptions_SetMaxPingsOut", unsafe natsOptions_SetMaxPingsOut(options, 2))
        // A server that is cut off takes nothing once the kernel's buffer is full. Whoever writes holds the connection's lock, so
        // that nobody would notice until TCP tries again, up to a minute after the network is whole.
        try NATSError.check("natsOptions_SetWriteDeadline", unsafe natsOptions_SetWriteDeadline(options, 1_000))
        // What cannot be sent at once is refused: nobody waits for it any more when there is a connection again.
        try NATSError.check("natsOptions_SetReconnectBufSize", unsafe natsOptions_SetReconnectBufSize(options, 0))
        // Where requests are answered: what users of the servers may hear, if these bound it (docs/clustering.md).
        let inbox = NATSConnection.inbox
        try NATSError.check(
            "natsOptions_SetCustomInboxPrefix",
            unsafe natsOptions_SetCustomInboxPrefix(options, inbox)
        )
        if address.isSecure {
            try NATSError.check("natsOptions_SetSecure", unsafe natsOptions_SetSecure(options, true))
        }
    }

    deinit {
        // It waits for the thread that reads.
        unsafe natsConnection_Close(pointer)
        watch.stop()
        Self.destroy(ended.withLock { $0 })
        unsafe natsConnection_Destroy(pointer)
    }

    /// Ends it. Who waits for a message or an answer waits no longer.
    func close() { unsafe withPointer { unsafe natsConnection_Close($0) } }

    /// Calls libnats with the connection, which is not destroyed before that has returned: also if this link is replaced
    /// meanwhile, and nobody else has it any more.
    func withPointer<Value>(_ work: (OpaquePointer) -> Value) -> Value {
        withExtendedLifetime(self) { unsafe work(pointer) }
    }

    /// Ends a subscription, and frees those that ended before it, once the thread that reads has left every message which came
    /// before. Waits for the server, a second at most. This one is kept until the next one ends or the link does: that a flush
    /// failed is not always told.
    ///
    /// libnats before 3.6.1 finds the subscription of a message, and locks it afterwards without having retained it
    /// (<https://github.com/nats-io/nats.c/issues/637>).
    func end(_ subscription: OpaquePointer) {
        unsafe natsSubscription_Unsubscribe(subscription)
        let isPassed = unsafe withPointer { unsafe natsConnection_FlushTimeout($0, 1_000) == NATS_OK }
        let before = ended.withLock { ended in
            let before = isPassed ? ended : []
            ended = (isPassed ? [] : ended) + [UInt(bitPattern: subscription)]
            return before
        }
        Self.destroy(before)
    }

    private static func destroy(_ subscriptions: [UInt]) {
        for address in subscriptions { unsafe natsSubscription_Destroy(OpaquePointer(bitPattern: address)) }
    }

    /// How often libnats made it anew; 0 if that cannot be told.
    var reconnects: Int {
        var made: OpaquePointer?
        guard unsafe natsStatistics_Create(&made) == NATS_OK, let statistics = unsafe made else { return 0 }
        defer { unsafe natsStatistics_Destroy(statistics) }
        var count: UInt64 = 0
        guard unsafe withPointer({ unsafe natsConnection_GetStats($0, statistics) }) == NATS_OK,
            unsafe natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &count) == NATS_OK
        else { return 0 }
        return Int(clamping: count)
    }
}
