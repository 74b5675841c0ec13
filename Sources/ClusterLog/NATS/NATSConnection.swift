internal import CNATS
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection to one of the servers of a cluster, which libnats makes anew, to another, when it is lost. No callbacks:
/// none of libnats' threads ever runs code of this program.
///
/// `@unchecked Sendable`: the pointer does not change, and libnats guards what it points to.
@safe
final class NATSConnection: @unchecked Sendable {
    private let pointer: OpaquePointer
    private let watch: ConnectionMonitor

    /// Connects to the first server that answers.
    init(to address: ClusterAddress, as name: String) throws(NATSError) {
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
            watch = try unsafe ConnectionMonitor(of: connection)
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
        if address.isSecure {
            try NATSError.check("natsOptions_SetSecure", unsafe natsOptions_SetSecure(options, true))
        }
    }

    deinit {
        watch.stop()
        unsafe natsConnection_Destroy(pointer)
    }

    /// Whether it is connected now, as far as is known. Never waits.
    var isConnected: Bool { watch.isConnected }

    /// How often it was made anew; 0 if that cannot be told.
    var reconnects: Int {
        var made: OpaquePointer?
        guard unsafe natsStatistics_Create(&made) == NATS_OK, let statistics = unsafe made else { return 0 }
        defer { unsafe natsStatistics_Destroy(statistics) }
        var count: UInt64 = 0
        guard unsafe natsConnection_GetStats(pointer, statistics) == NATS_OK,
            unsafe natsStatistics_GetCounts(statistics, nil, nil, nil, nil, &count) == NATS_OK
        else { return 0 }
        return Int(clamping: count)
    }

    /// The most bytes of one message, as the server said to which it is or was connected. Never waits.
    var maximumPayload: Int { watch.maximumPayload }

    /// Sends a message, some time soon.
    func publish(_ data: [UInt8], to subject: String, reply: String? = nil) throws(NATSError) {
        // What is published is copied before the call returns.
        let status = unsafe data.withUnsafeBytes { bytes in
            if let reply {
                unsafe natsConnection_PublishRequest(pointer, subject, reply, bytes.baseAddress, Int32(bytes.count))
            } else {
                unsafe natsConnection_Publish(pointer, subject, bytes.baseAddress, Int32(bytes.count))
            }
        }
        try NATSError.check("natsConnection_Publish", status)
    }

    /// Asks, and waits for the answer.
    func request(_ data: [UInt8], to subject: String, atMost milliseconds: Int64 = 2_000) throws(NATSError)
        -> NATSMessage
    {
        var answer: OpaquePointer?
        let status = unsafe data.withUnsafeBytes { bytes in
            unsafe natsConnection_Request(
                &answer,
                pointer,
                subject,
                bytes.baseAddress,
                Int32(bytes.count),
                milliseconds
            )
        }
        try NATSError.check("natsConnection_Request \(subject)", status)
        guard let answer = unsafe answer else { throw NATSError("natsConnection_Request gave nothing") }
        return unsafe NATSMessage(taking: answer)
    }

    /// Hears what is sent to a subject from now on.
    /// - Parameter limit: what may wait to be read; what comes beyond is thrown away. Unless it is given, nothing is.
    func subscribe(
        to subject: String,
        atMost limit: (messages: Int, bytes: Int)? = nil
    ) throws(NATSError) -> NATSSubscription {
        var made: OpaquePointer?
        try NATSError.check(
            "natsConnection_SubscribeSync",
            unsafe natsConnection_SubscribeSync(&made, pointer, subject)
        )
        guard let subscription = unsafe made else { throw NATSError("natsConnection_SubscribeSync gave nothing") }
        let (messages, bytes) = limit.map { (Int32(clamping: $0.messages), Int32(clamping: $0.bytes)) } ?? (-1, -1)
        unsafe natsSubscription_SetPendingLimits(subscription, messages, bytes)
        return unsafe NATSSubscription(taking: subscription, of: self)
    }

    /// Ends it. Who waits for a message waits no longer.
    func close() { unsafe natsConnection_Close(pointer) }

    /// Waits until the server has everything that was published.
    func flush() {
        _ = unsafe natsConnection_FlushTimeout(pointer, 1_000)
    }
}
