import EventLog
import Locking
import MicroHTTP

/// Consecutive committed events of one topic, encoded once for all streams that hear them.
///
/// The sequencer hands whole runs to observers: a stream that follows all of it takes one reference, however many
/// events there are.
struct EventFrames: Sendable {
    /// In sequence order; never empty.
    let events: ArraySlice<Event>
    /// The data of all of them in bytes: summed once, and not for each webhook.
    let size: Int
    private let frame: Frame
    /// Where each event's bytes end.
    private let ends: [Int]
    private let parts: FrameParts

    /// Encodes events.
    ///
    /// - Parameter memory: the budget in which the bytes count for as long as they are used.
    init(_ events: ArraySlice<Event>, format: EventEnvelope, in memory: ReaderMemory? = nil) {
        var bytes: [UInt8] = []
        size = events.reduce(0) { $0 + $1.data.count }
        bytes.reserveCapacity(size + 128 * events.count)
        var ends: [Int] = []
        ends.reserveCapacity(events.count)
        for event in events {
            format.append(event, to: &bytes)
            ends.append(bytes.count)
        }
        self.events = events
        self.ends = ends
        frame = Frame(bytes, in: memory)
        parts = FrameParts(frame)
    }

    var first: Position { events[events.startIndex].position }
    var last: Position { events[events.endIndex - 1].position }

    /// The bytes of every event.
    var whole: Chunk { frame.whole }

    /// The bytes of the events after a position; nil if there are none.
    func chunk(after position: Position) -> Chunk? {
        guard position >= first else { return frame.whole }
        let skipped = events.prefix { $0.position <= position }.count
        return skipped == events.count ? nil : parts[ends[skipped - 1]..<frame.count]
    }

    /// How many events there are after a position.
    func count(after position: Position) -> Int {
        position < first ? events.count : events.count { $0.position > position }
    }

    /// The bytes of the event at an offset into the run. A stream that takes only this keeps none of the others alive.
    func chunk(at offset: Int) -> Chunk {
        parts[(offset == 0 ? 0 : ends[offset - 1])..<ends[offset]]
    }
}

/// Parts of a frame for streams that do not take all of it, each made once for all of them.
private final class FrameParts: Sendable {
    private let frame: Frame
    private let made = Lock<[Range<Int>: Chunk]>([:])

    init(_ frame: Frame) {
        self.frame = frame
    }

    subscript(range: Range<Int>) -> Chunk {
        made.withLock { made in
            if let chunk = made[range] { return chunk }
            let chunk = frame.part(range)
            made[range] = chunk
            return chunk
        }
    }
}
