import EventLog
import MicroHTTP

/// Feeds streams that are behind from the log, page by page, each at its own client's pace.
final class StreamReader: Sendable {
    /// A page is at most this many events and about this many bytes: what one catching-up stream costs in memory
    /// beside its outbox.
    private static let pageEvents = 512
    private static let pageBytes = 256 * 1024

    private let log: any EventLog
    private let work: BackgroundWork

    init(log: any EventLog, work: BackgroundWork) {
        self.log = log
        self.work = work
    }

    /// An event id for a position of this log.
    func id(at position: Position) -> String {
        EventID(epoch: log.epoch, position: position).description
    }

    /// Reads on until the stream has caught up or is gone. The stream is held only while a page is sent to it.
    func read(for stream: EventStream, from position: Position, gaps: StreamGaps) {
        work.start { [weak stream] in
            var place: Place? = Place(position: position, gaps: gaps)
            while let here = place, let outlet = stream?.outlet {
                // Room first: while a client is slow, no page waits in memory for it.
                await outlet.drained(room: Self.pageBytes)
                place = await self.readPage(for: stream, at: here)
            }
        }
    }

    /// Where the reading of one stream stands.
    private struct Place {
        var position: Position
        var gaps: StreamGaps
    }

    /// Returns where to go on, or nil if there is nothing more to do.
    private func readPage(for stream: EventStream?, at place: Place) async -> Place? {
        guard let stream, !stream.outlet.isEnded else { return nil }
        let page: EventPage
        do {
            page = try await log.read(
                after: place.position,
                matching: stream.topics,
                limit: Self.pageEvents,
                byteLimit: Self.pageBytes
            )
        } catch {
            // The client reconnects with its last id and finds what this page would have held.
            stream.breakOff()
            return nil
        }
        var next = place
        next.position = page.scannedThrough
        next.gaps.read(lastRemoval: page.lastRemoval, after: id(at: place.position))
        let selected = page.events.filter(stream.selects)
        if let gap = next.gaps.take(if: !selected.isEmpty || page.isLast) {
            let frame = ServerSentEvent.gap(after: gap.asked, resumed: selected.first?.id, reason: gap.reason)
            await Self.send(frame.whole, to: stream.outlet)
        }
        if !selected.isEmpty {
            await Self.send(EventFrames(selected[...], format: stream.format).whole, to: stream.outlet)
        }
        return stream.caughtUp(through: page.scannedThrough) ? next : nil
    }

    /// Waits for room as long as it takes: a slow client is read for slowly.
    private static func send(_ chunk: Chunk, to outlet: DetachedStream) async {
        while case .full = outlet.send(chunk) { await outlet.drained(room: chunk.count) }
    }
}
