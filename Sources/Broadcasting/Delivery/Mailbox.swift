/// The order of a strand: messages that wait, and whether somebody is under way to fetch them.
///
/// A pure state machine; `Strand` holds it in a mutex. Invariant: messages wait only while a drain is due, so exactly one
/// drain is due or running at any time, which is what makes a strand serial.
struct Mailbox<Message> {
    private var waiting: [Message] = []
    private(set) var isDrainDue = false

    /// Adds a message.
    ///
    /// - Returns: whether the caller must schedule a drain.
    mutating func post(_ message: Message) -> Bool {
        waiting.append(message)
        defer { isDrainDue = true }
        return !isDrainDue
    }

    /// Everything that waits, for the drain that is due; it has to call `finishBatch()` when it is through with it.
    mutating func takeBatch() -> [Message] {
        defer { waiting = [] }
        return waiting
    }

    /// Ends a drain.
    ///
    /// - Returns: the first of the messages that came meanwhile; the caller must schedule the next drain for it.
    mutating func finishBatch() -> Message? {
        isDrainDue = !waiting.isEmpty
        return waiting.first
    }
}

extension Mailbox: Sendable where Message: Sendable {}
