/// How one attempt to deliver an event went.
public struct DeliveryAttempt: Hashable, Sendable {
    /// Which attempt it was, from 1; a delivery that is renewed counts from 1 again.
    public let number: Int

    /// When it ended.
    public let at: Timestamp

    /// How long it took, in milliseconds.
    public let duration: Int64

    /// How long after its beginning a connection stood, in microseconds; nil if none did, or one was used again.
    public let connected: Int64?

    /// How long after its beginning TLS stood, in microseconds; nil as with ``connected``, and without TLS.
    public let secured: Int64?

    /// How long after its beginning the response began, in microseconds; nil if there was none.
    public let answered: Int64?

    /// The status of the response; nil if there was none.
    public let status: Int?

    /// The class of the failure, such as `timeout`; nil if it arrived.
    public let failure: String?

    /// A sentence about the failure; nil if it arrived.
    public let message: String?

    /// The first bytes of the response's body.
    public let response: [UInt8]

    /// An attempt of those parts.
    public init(
        number: Int,
        at: Timestamp,
        duration: Int64 = 0,
        connected: Int64? = nil,
        secured: Int64? = nil,
        answered: Int64? = nil,
        status: Int? = nil,
        failure: String? = nil,
        message: String? = nil,
        response: [UInt8] = []
    ) {
        (self.number, self.at, self.duration) = (number, at, duration)
        (self.connected, self.secured, self.answered) = (connected, secured, answered)
        (self.status, self.failure, self.message, self.response) = (status, failure, message, response)
    }
}
