import EventLog
import MicroHTTP
import Synchronization

/// Feeds streams that are behind from the log, page by page, each at its own client's pace.
final class StreamReader: Sendable {
    private let pages: ReaderPages
    private let work: BackgroundWork
    private let metrics: HubMetrics
    private let readings = Atomic<Int>(0)

    init(pages: ReaderPages, work: BackgroundWork, metrics: HubMetrics) {
        self.pages = pages
        self.work = work
        self.metrics = metrics
    }

    /// How many streams are behind: the log is read for them.
    var streamsBehind: Int { readings.load(ordering: .relaxed) }

    /// An event id for a position of this log.
    func id(at position: Position) -> String {
        EventID(epoch: pages.log.epoch, position: position).description
    }

    /// Reads on until the stream has caught up or is gone. The stream is held only while a page is sent to it.
    func read(for stream: EventStream, from position: Position, gaps: StreamGaps) {
        work.start { [weak stream] in
            self.readings.add(1, ordering: .relaxed)
            defer { self.readings.subtract(1, ordering: .relaxed) }
            var place: Place? = Place(position: position, gaps: gaps)
            while let here = place, let outlet = stream?.outlet, let topics = stream?.topics {
                // Room first: while a client is slow, no page waits in memory for it.
                await outlet.drained(room: here.outboxRoom)
                guard !outlet.isEnded else { return }
                do throws(EventLogError) {
                    let next = try await self.pages.read(after: here.position, matching: topics, room: here.pageRoom) {
                        page in
                        // Held only now.
                        stream.flatMap { self.send(page, to: $0, at: here) }
                    }
                    place = next ?? nil
                } catch {
                    self.pages.faults.tell(error)
                    // The client reconnects with its last id and finds what this page would have held.
                    if let stream { stream.end(.error) } else { outlet.end() }
                    return
                }
            }
        }
    }

    /// Where the reading of one stream stands, and how much room it needs to go on.
    private struct Place {
        var position: Position
        var gaps: StreamGaps
        var outboxRoom = ReaderPages.bytes
        var pageRoom = ReaderPages.room
    }

    /// Sends what the client's outbox takes of a page. Returns where to go on, or nil if there is nothing more to do.
    private func send(_ page: EventPage, to stream: EventStream, at place: Place) -> Place? {
        var next = place
        next.outboxRoom = ReaderPages.bytes
        next.gaps.read(lastRemoval: page.lastRemoval, after: id(at: place.position))
        let selected = page.events.filter(stream.selects)
        let gap = next.gaps.take(if: !selected.isEmpty || page.isLast)
        let notice = gap.map { ServerSentEvent.gap(after: $0.asked, resumed: selected.first?.id, reason: $0.reason) }
        let pieces = EventPieces(outlet: stream.outlet, room: place.pageRoom, encode: stream.format.append)
        let outcome = pieces.send(selected, after: notice ?? [])
        // A page that the outbox takes nothing of is read again, and with it the gaps that it announced.
        if !outcome.hasBegun { next.gaps = place.gaps } else if let gap { metrics.gaps.count(gap.reason) }
        if let last = outcome.position {
            metrics.deliveries.count(.stream, selected.count { $0.position <= last })
        }
        next.position = outcome.position ?? place.position
        switch outcome.obstacle {
        case nil: next.position = page.scannedThrough
        case .outbox(let room): next.outboxRoom = room
        case .memory(let room): next.pageRoom = room
        case .ended: return nil
        }
        guard outcome.obstacle == nil || outcome.position != nil else { return next }
        return stream.caughtUp(through: next.position, hasGap: next.gaps.isPending) ? next : nil
    }
}
