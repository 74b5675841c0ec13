/// What an observable value is, and what has yet to be announced.
///
/// A pure state machine; `ObservableValue` holds it in a lock. Values are in boxes, so that setting one releases none here:
/// the announcement holds the box before.
struct ValueState: Sendable {
    /// An announcement on its way to all observers, or to one.
    typealias Message = (announcement: Announcement, to: Registration<SoleKey>?)

    /// A `Box` of the value's type.
    private(set) var current: any ErasedValue
    /// Counts the settings.
    private(set) var version: UInt64 = 0
    /// Gives the order: whoever is told that a drain is due announces until nothing waits.
    private var mailbox = Mailbox<Message>()

    init(_ current: any ErasedValue) { self.current = current }

    /// Sets the value.
    ///
    /// - Returns: the announcement, if the caller has to make it now; otherwise it is under way.
    mutating func set(_ value: any ErasedValue) -> Message? {
        version += 1
        let message: Message = (Announcement(version: version, current: value, previous: current), nil)
        current = value
        return mailbox.pass(message) ? message : nil
    }

    /// Greets an observer with the value, after what is under way.
    ///
    /// - Returns: the announcement, if the caller has to make it now; otherwise it is under way.
    mutating func greet(_ registration: Registration<SoleKey>) -> Message? {
        let message: Message = (Announcement(version: version, current: current, previous: nil), registration)
        return mailbox.pass(message) ? message : nil
    }

    /// What has come while the caller announced; it has to ask again when it has announced that.
    ///
    /// - Returns: nothing if the caller is done.
    mutating func next() -> [Message] {
        mailbox.finishBatch() ? mailbox.takeBatch() : []
    }
}
