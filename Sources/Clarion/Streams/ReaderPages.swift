import EventLog
import MicroHTTP

/// Reads pages of the log for clients, within the budget of all readers: who finds no room waits.
///
/// A page is dropped before anybody waits for a client: what a client that stands still costs is its outbox.
final class ReaderPages: Sendable {
    /// A page is at most this many events and about this many bytes.
    static let events = 512
    static let bytes = 256 * 1024

    /// The room that a page takes as a rule: the page, and what is being encoded of it.
    static let room = 2 * bytes

    let log: any EventLog
    let memory: ReaderMemory
    /// Is told what cut an answer off that had begun: its client cannot be.
    let faults: FaultLog

    /// Turns instead of bytes: how many pages are being read and encoded at once. More would not be faster, and what an
    /// event takes is known only when it was read.
    private let turns = ReaderMemory(limit: 8)

    init(log: any EventLog, memory: ReaderMemory, faults: FaultLog) {
        self.log = log
        self.memory = memory
        self.faults = faults
    }

    /// Reads a page, when there is room for it, and does something with it, which must not wait.
    ///
    /// - Parameters:
    ///   - room: how much to take for it and what is made of it, in bytes.
    ///   - longestWait: how long to wait for room; as long as it takes if nil.
    /// - Returns: nil if there was no room in time, or none at once while the hub stops.
    func read<Value: Sendable>(
        after position: Position,
        matching topics: [TopicPattern],
        limit: Int = events,
        room: Int = room,
        within longestWait: Duration? = nil,
        _ body: (EventPage) -> Value
    ) async throws(EventLogError) -> Value? {
        let hold: MemoryHold?
        if let longestWait {
            hold = await memory.hold(room, within: longestWait)
        } else {
            hold = await memory.hold(room)
        }
        guard let hold, let turn = await turns.hold(1) else { return nil }
        let page = try await log.read(after: position, matching: topics, limit: limit, byteLimit: Self.bytes)
        let value = body(page)
        withExtendedLifetime((hold, turn)) {}
        return value
    }
}

extension Event {
    /// The room that encoding it may take at most: a line break becomes seven bytes of a stream, a control character six
    /// of JSON.
    var largestEncoding: Int { 7 * data.count + 2 * (attributes?.count ?? 0) + 2048 }
}
