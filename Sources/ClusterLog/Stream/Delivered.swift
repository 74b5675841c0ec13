import EventLog

/// What the server says of a message that it sends from a stream, in the subject to reply to.
struct Delivered {
    /// The place in the stream.
    let sequence: UInt64
    /// How many messages the consumer has sent with this one.
    let number: UInt64
    /// When the stream got it.
    let time: Timestamp

    /// The last place that there may be: whatever is counted on from a place stays a number.
    static let mostSequence = UInt64(Int64.max) - 1 << 32

    init(sequence: UInt64, number: UInt64, time: Timestamp) {
        (self.sequence, self.number, self.time) = (sequence, number, time)
    }

    /// Reads `$JS.ACK.<stream>.<consumer>.<attempt>.<sequence>.<number>.<nanoseconds>.<waiting>`, which has two more parts
    /// after the second, and may have one at the end, where servers have domains.
    init?(_ reply: String) {
        // By bytes, as each message has one: by characters it takes longer than all else that is read of a message.
        let parts = reply.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let first: Int
        switch parts.count {
        case 9: first = 5
        case 11...: first = 7
        default: return nil
        }
        guard parts[0].elementsEqual("$JS".utf8), parts[1].elementsEqual("ACK".utf8),
            let sequence = UInt64(Substring(parts[first])), let number = UInt64(Substring(parts[first + 1])),
            let nanoseconds = Int64(Substring(parts[first + 2])), sequence <= Self.mostSequence
        else { return nil }
        self.sequence = sequence
        self.number = number
        time = Timestamp(milliseconds: nanoseconds / 1_000_000)
    }
}
