import EventLog
import MicroHTTP

/// Encodes events piece by piece, and hands the pieces to a client's outbox for as long as it takes them.
struct EventPieces {
    /// What became of the events of a page.
    struct Outcome: Sendable {
        /// The last event that was taken; nil if none was.
        var position: Position?
        /// Whether what stands before the first event was taken.
        var hasBegun = false
        /// Why not all were taken; nil if all were.
        var obstacle: Obstacle?
    }

    enum Obstacle: Sendable {
        /// The outbox has no room for so many bytes.
        case outbox(Int)
        /// The next event wants more memory than was taken for the page.
        case memory(Int)
        /// The client is gone.
        case ended
    }

    /// Bytes at which a piece ends, whole events always.
    private static let largest = 64 * 1024
    /// The same while the budget is used up: then a stream gets one at a time.
    private static let smallest = 4 * 1024

    let outlet: DetachedStream
    /// How much memory was taken for the page and what is made of it.
    let room: Int
    /// Appends the bytes of an event.
    let encode: (Event, inout [UInt8]) -> Void

    /// Sends events, in order, until one is not taken.
    ///
    /// - Parameter beginning: what stands before the first, also if there is none.
    func send(_ events: some Sequence<Event>, after beginning: [UInt8] = []) -> Outcome {
        var outcome = Outcome()
        var piece = beginning
        var last: Position?
        let end = min(Self.largest, max(Self.smallest, outlet.memory.share))
        for event in events {
            let wanted = event.largestEncoding + ReaderPages.bytes
            if wanted > room {
                // What is there already goes out first.
                if last != nil { flush(&piece, through: last, &outcome) }
                if outcome.obstacle == nil { outcome.obstacle = .memory(wanted) }
                return outcome
            }
            if last != nil, piece.count + event.data.count > end {
                flush(&piece, through: last, &outcome)
                if outcome.obstacle != nil { return outcome }
            }
            encode(event, &piece)
            last = event.position
        }
        flush(&piece, through: last, &outcome)
        return outcome
    }

    private func flush(_ piece: inout [UInt8], through last: Position?, _ outcome: inout Outcome) {
        let frame = Frame(piece, in: outlet.memory)
        piece.removeAll(keepingCapacity: piece.capacity <= 2 * Self.largest)
        switch outlet.send(frame.whole, isHeld: true) {
        case .queued:
            outcome.position = last
            outcome.hasBegun = true
        case .full: outcome.obstacle = .outbox(frame.count)
        case .ended: outcome.obstacle = .ended
        }
    }
}
