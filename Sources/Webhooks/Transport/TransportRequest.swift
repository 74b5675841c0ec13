/// One attempt for the transport to make.
final class TransportRequest: Sendable {
    /// Unique per attempt; names it when it is to be aborted.
    let token: UInt64

    /// How the lane stood when the attempt began, which it counts under until it ends.
    let standing: Standing

    /// The thread that makes it.
    let thread: SendingThread

    let destination: Destination
    let delivery: DueDelivery
    let purpose: Purpose

    init(
        token: UInt64,
        standing: Standing,
        thread: SendingThread,
        destination: Destination,
        delivery: DueDelivery,
        purpose: Purpose = .delivery
    ) {
        (self.token, self.standing, self.thread) = (token, standing, thread)
        (self.destination, self.delivery, self.purpose) = (destination, delivery, purpose)
    }

    enum Purpose: Sendable, Hashable {
        case delivery
        /// A delivery that somebody asks for, made by whoever is asked.
        case test
        /// Asks for consent to deliveries; what is to be delivered does not matter then.
        case handshake(origin: String)
        /// Gets what is there.
        case fetch(atMost: Int)

        var isFetch: Bool { if case .fetch = self { true } else { false } }
    }
}

/// What became of a request.
struct TransportResult: Sendable {
    enum Ending: Sendable {
        case answered(AttemptAnswer)
        /// Given up on request, with no word on whether the receiver got it.
        case aborted
        /// Not made for want of something of this machine's, which is none of the endpoint's doing: descriptors, memory,
        /// ports, threads. The sentence is for the operator.
        case unmade(String)
    }

    let request: TransportRequest
    let ending: Ending

    /// When it ended, in milliseconds since 1970.
    var timeOfDay: Int64 = 0

    /// Whether the name of its host is still being looked up: that goes on by itself.
    var leavesLookup = false
}
