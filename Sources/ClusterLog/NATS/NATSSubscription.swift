internal import CNATS
import Locking
import Posix

/// What is sent to a subject, for the one thread that reads it. Ends when it is let go of.
final class NATSSubscription: Sendable {
    private let subject: String
    private let limit: (messages: Int, bytes: Int)?
    private let connection: NATSConnection
    private let held: Lock<Held>

    /// A subscription of one link.
    ///
    /// `@unchecked Sendable`: the pointer does not change, and libnats guards what it points to.
    @safe
    private final class Held: @unchecked Sendable {
        let pointer: OpaquePointer
        /// Must not be destroyed before.
        let link: NATSLink

        init(to subject: String, atMost limit: (messages: Int, bytes: Int)?, of link: NATSLink) throws(NATSError) {
            var made: OpaquePointer?
            try NATSError.check(
                "natsConnection_SubscribeSync",
                unsafe link.withPointer { unsafe natsConnection_SubscribeSync(&made, $0, subject) }
            )
            guard let subscription = unsafe made else { throw NATSError("natsConnection_SubscribeSync gave nothing") }
            let (messages, bytes) = limit.map { (Int32(clamping: $0.messages), Int32(clamping: $0.bytes)) } ?? (-1, -1)
            unsafe natsSubscription_SetPendingLimits(subscription, messages, bytes)
            unsafe pointer = subscription
            self.link = link
        }

        deinit {
            unsafe link.end(pointer)
        }
    }

    /// How long who reads from a connection that is closed waits before it is told so: it asks again at once.
    private static let rest = Duration.milliseconds(20)

    init(
        to subject: String,
        atMost limit: (messages: Int, bytes: Int)?,
        of connection: NATSConnection
    ) throws(NATSError) {
        (self.subject, self.limit, self.connection) = (subject, limit, connection)
        held = Lock(try Held(to: subject, atMost: limit, of: connection.link))
    }

    /// Waits for the next message.
    /// - Returns: nil if none came in time, or the connection was replaced meanwhile.
    func next(atMost milliseconds: Int64) throws(NATSError) -> NATSMessage? {
        let held = held.withLock { $0 }
        var message: OpaquePointer?
        let status = withExtendedLifetime(held) {
            unsafe natsSubscription_NextMsg(&message, held.pointer, milliseconds)
        }
        if status == NATS_TIMEOUT { return nil }
        // It has thrown messages away; who reads finds the gap.
        if status == NATS_SLOW_CONSUMER { return nil }
        // It keeps what looks like the server's word that nobody listens, also if it is a message of a stream.
        if status == NATS_NO_RESPONDERS { return .unheard }
        if status != NATS_OK {
            let link = connection.link
            if link !== held.link {
                let next = try Held(to: subject, atMost: limit, of: link)
                // The former one goes outside of the lock: that takes a while.
                _ = self.held.withLock { held in
                    defer { held = next }
                    return held
                }
                return nil
            }
            _ = Semaphore().wait(atMost: Self.rest)
        }
        try NATSError.check("natsSubscription_NextMsg", status)
        return unsafe message.map { unsafe NATSMessage(taking: $0) }
    }
}
