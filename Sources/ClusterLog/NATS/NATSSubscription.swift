internal import CNATS

/// What is sent to a subject, for the one thread that reads it. Ends when it is let go of.
///
/// `@unchecked Sendable`: the pointer does not change, and libnats guards what it points to.
@safe
final class NATSSubscription: @unchecked Sendable {
    private let pointer: OpaquePointer
    /// Must not be destroyed before.
    private let connection: NATSConnection

    init(taking pointer: OpaquePointer, of connection: NATSConnection) {
        unsafe self.pointer = unsafe pointer
        self.connection = connection
    }

    deinit {
        unsafe natsSubscription_Destroy(pointer)
    }

    /// Waits for the next message.
    /// - Returns: nil if none came in time.
    func next(atMost milliseconds: Int64) throws(NATSError) -> NATSMessage? {
        var message: OpaquePointer?
        let status = unsafe natsSubscription_NextMsg(&message, pointer, milliseconds)
        if status == NATS_TIMEOUT { return nil }
        // It has thrown messages away; who reads finds the gap.
        if status == NATS_SLOW_CONSUMER { return nil }
        // It keeps what looks like the server's word that nobody listens, also if it is a message of a stream.
        if status == NATS_NO_RESPONDERS { return .unheard }
        try NATSError.check("natsSubscription_NextMsg", status)
        return unsafe message.map { unsafe NATSMessage(taking: $0) }
    }
}
