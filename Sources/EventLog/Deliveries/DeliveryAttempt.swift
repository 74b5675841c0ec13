/// How one attempt to deliver an event went.
package struct DeliveryAttempt: Hashable, Sendable {
    /// Which attempt it was, from 1; a delivery that is renewed counts from 1 again.
    package let number: Int
    /// When it ended.
    package let at: Timestamp
    /// In milliseconds.
    package let duration: Int64

    /// How long after its beginning a connection stood, TLS stood, and the response began, in microseconds; nil for what there was
    /// not. The first two are nil, too, if a connection was used again.
    package let connected: Int64?
    package let secured: Int64?
    package let answered: Int64?

    /// The status of the response; nil if there was none.
    package let status: Int?
    /// The class of the failure, such as `timeout`, and a sentence about it; nil if it arrived.
    package let failure: String?
    package let message: String?
    /// The first bytes of the response's body.
    package let response: [UInt8]

    /// More than are ever made, less one: a damaged file may say more, and whoever attempts counts on.
    static let mostBefore = Int64(Int32.max) - 1

    package init(
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
