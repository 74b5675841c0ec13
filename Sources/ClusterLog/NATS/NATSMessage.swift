internal import CNATS

/// A message of NATS, copied out of libnats' memory.
struct NATSMessage: Sendable {
    let subject: String
    let data: [UInt8]
    /// Empty if there is none.
    let reply: String
    /// What the server says instead of data, such as `503` if nobody listens; nil if the message is no such word.
    let status: String?
    /// On a heartbeat, where to answer so that a consumer that waits goes on; nil as a rule.
    let stalled: String?
    /// On a heartbeat, the number of the last message that the consumer has sent; nil on anything else.
    let lastDelivered: String?

    /// A message that libnats has kept: of its contents nothing is known.
    static let unheard = NATSMessage()

    private init() {
        (subject, data, reply, status, stalled, lastDelivered) = ("", [], "", "503", nil, nil)
    }

    /// Takes a message over, and frees it.
    init(taking message: OpaquePointer) {
        defer { unsafe natsMsg_Destroy(message) }
        subject = unsafe natsMsg_GetSubject(message).map { unsafe String(cString: $0) } ?? ""
        let count = Int(unsafe natsMsg_GetDataLength(message))
        data =
            if count > 0, let bytes = unsafe natsMsg_GetData(message) {
                unsafe UnsafeRawBufferPointer(start: bytes, count: count).map(\.self)
            } else { [] }
        reply = unsafe natsMsg_GetReply(message).map { unsafe String(cString: $0) } ?? ""
        guard count == 0 else {
            (status, stalled, lastDelivered) = (nil, nil, nil)
            return
        }
        status = unsafe Self.header("Status", of: message)
        stalled = unsafe Self.header("Nats-Consumer-Stalled", of: message)
        lastDelivered = unsafe Self.header("Nats-Last-Consumer", of: message)
    }

    private static func header(_ name: String, of message: OpaquePointer) -> String? {
        var value: UnsafePointer<CChar>?
        guard unsafe natsMsgHeader_Get(message, name, &value) == NATS_OK, let value = unsafe value else { return nil }
        return unsafe String(cString: value)
    }
}
