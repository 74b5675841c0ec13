/// One attempt for the transport to make.
struct TransportRequest: Sendable {
    /// Unique per attempt; names it when it is to be aborted.
    let token: UInt64

    /// How the lane stood when the attempt began, which it counts under until it ends.
    let standing: Standing

    let target: Target
    let delivery: Delivery
    var purpose = Purpose.delivery

    enum Purpose: Sendable, Hashable {
        case delivery
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
        /// Not made for want of something of this machine's, which is none of the endpoint's doing.
        case unmade(Shortage)
    }

    let request: TransportRequest
    let ending: Ending

    /// When it ended, in milliseconds since 1970.
    var timeOfDay: Int64 = 0
}
