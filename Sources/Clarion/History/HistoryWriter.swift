import EventLog
import MicroHTTP

/// Writes a page of history that is not small, piece by piece as it is read, at its client's pace.
struct HistoryWriter: Sendable {
    /// How many bytes may wait for the client.
    static let outboxBytes = 256 * 1024

    let wish: HistoryWish
    let page: HistoryPage
    /// The position after which the page begins.
    let start: Position
    let pages: ReaderPages
    let outlet: DetachedStream

    /// Writes the page to its end, or until the client is gone. One that cannot be read to its end is cut off, so that its
    /// client does not take it for whole.
    func write() async {
        let end = page.last?.position ?? start
        var position = start
        var isFirst = true
        var (outboxRoom, pageRoom) = (0, ReaderPages.room)
        while position < end {
            await outlet.drained(room: outboxRoom)
            guard !outlet.isEnded else { return }
            let part: (EventPieces.Outcome, Position)?
            do throws(EventLogError) {
                part = try await pages.read(after: position, matching: wish.topics, room: pageRoom) { part in
                    (send(part, through: end, room: pageRoom, isFirst: isFirst), part.scannedThrough)
                }
            } catch {
                pages.faults.tell(error)
                return outlet.cut()
            }
            // The hub stops.
            guard let (outcome, scannedThrough) = part else { return outlet.cut() }
            if outcome.position != nil { isFirst = false }
            position = outcome.position ?? position
            outboxRoom = 0
            switch outcome.obstacle {
            case nil: position = scannedThrough
            case .outbox(let room): outboxRoom = room
            case .memory(let room): pageRoom = room
            case .ended: return
            }
        }
        outlet.end(after: Frame(wish.format.ending(next: page.next)).whole)
    }

    /// Sends what the outbox takes of a part. Events that were removed since the page was outlined are left out.
    private func send(_ part: EventPage, through end: Position, room: Int, isFirst: Bool) -> EventPieces.Outcome {
        var isFirst = isFirst
        let events = part.events.filter { $0.position <= end && wish.types.contain($0) }
        let pieces = EventPieces(outlet: outlet, room: room) { event, bytes in
            wish.format.append(event, isFirst: isFirst, to: &bytes)
            isFirst = false
        }
        return pieces.send(events)
    }
}
