import EventLog
import JSON
import Locking
import Synchronization

/// Reads the log for one reader in the process, page by page, and waits for what comes: an observer like any other, that is
/// only woken. So a reader may be as slow as it likes, and what it costs is one page.
///
/// It is registered before the log is read first. So what a page does not have has woken it, and nothing is waited for that is
/// there. And it hears all that comes after it was registered, however late it reads first: see ``begin()``.
final class EventFeed: HubObserver {
    let id = ObserverID.generate(.object)
    let kind = ObserverKind.object
    let topics: [TopicPattern]
    let createdAt = Timestamp.now()

    private struct Place {
        var position: Position
        var gaps: StreamGaps
    }

    private let readerType: String
    private let log: any EventLog
    private let start: HistoryStart
    private let onGap: (@Sendable (HistoryGap) -> Void)?
    /// The log's newest position when it was registered.
    private let tail = Lock(Position.start)
    /// Nil until the log was asked where the reader begins.
    private let place = Lock<Place?>(nil)
    private let registrations = Lock<Registrations?>(nil)
    private let more: AsyncStream<Void>
    private let tellsMore: AsyncStream<Void>.Continuation
    private let handled: AsyncStream<Void>
    private let tellsHandled: AsyncStream<Void>.Continuation
    private let isOver = Atomic(false)
    /// Whether the object that it reads for lives; nil if it reads for a sequence.
    private let isWanted = Lock<(@Sendable () -> Bool)?>(nil)
    private let read = Atomic(0)

    /// How many pages with events were read.
    var pagesRead: Int { read.load(ordering: .relaxed) }

    /// - Parameters:
    ///   - readerType: the name of what reads, for `GET /observers`.
    ///   - onGap: is called with history that is gone, before the event at which reading goes on.
    init(
        topics: [TopicPattern],
        from start: HistoryStart,
        readerType: String,
        log: any EventLog,
        onGap: (@Sendable (HistoryGap) -> Void)?
    ) {
        self.topics = topics
        self.start = start
        self.readerType = readerType
        self.log = log
        self.onGap = onGap
        (more, tellsMore) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        (handled, tellsHandled) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Ends a feed when it is released: whoever reads holds one.
    final class Reader: Sendable {
        let feed: EventFeed

        init(_ feed: EventFeed) {
            self.feed = feed
        }

        deinit { feed.end() }
    }

    /// Notes where the log ends, once it is registered: a post that is acknowledged from now on is heard. Where the reader
    /// begins is found out with the first page, which may be much later, and must not lie behind this.
    func begin() {
        tail.withLock { $0 = log.tail }
    }

    /// Keeps what ends with it.
    func hold(_ registrations: Registrations) {
        self.registrations.withLock { kept in
            // It has ended already if the hub stops.
            if isRegistered { kept = registrations }
        }
    }

    /// Notes whom it reads for.
    func serve(while isWanted: @escaping @Sendable () -> Bool) {
        self.isWanted.withLock { $0 = isWanted }
    }

    var isRegistered: Bool {
        guard !isOver.load(ordering: .acquiring) else { return false }
        return isWanted.withLock { $0 }?() ?? true
    }

    /// Hears that there is more, on the log's thread.
    func receive() {
        tellsMore.yield()
    }

    /// Ends the reading: who waits for the next page gets none.
    func end() {
        guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return }
        tellsMore.finish()
        tellsHandled.finish()
        // Let go outside the lock.
        _ = registrations.withLock { $0.take() }
    }

    func endWithHub() { end() }

    /// The next events, at least one: waits until there are some.
    ///
    /// - Returns: nil if it has ended, or the task was cancelled, which ends it.
    func nextPage() async throws(HubError) -> [Event]? {
        // A wait that was cancelled cannot be woken again.
        defer { if Task.isCancelled { end() } }
        var signals = more.makeAsyncIterator()
        while isRegistered, !Task.isCancelled {
            let page: EventPage
            do throws(EventLogError) {
                page = try await readPage()
            } catch {
                if error.code == .closed || !isRegistered { return nil }
                throw HubError(error)
            }
            if !page.events.isEmpty { return page.events }
            if page.isLast, await signals.next() == nil { return nil }
        }
        return nil
    }

    /// Says that all of a page was handled, where that takes place elsewhere.
    func pageIsHandled() {
        tellsHandled.yield()
    }

    /// Waits until the last page was handled, or never will be.
    func waitUntilHandled() async {
        var signals = handled.makeAsyncIterator()
        await signals.next()
    }

    private func readPage() async throws(EventLogError) -> EventPage {
        var place: Place
        if let present = self.place.withLock({ $0 }) {
            place = present
        } else {
            let tail = tail.withLock { $0 }
            let start = try await start.beginning.find(in: log, topics: topics, types: EventTypes([]))
            var position = start.position(tail: tail)
            // The newest events, or those since a moment, of now: what was posted meanwhile may have moved them on.
            if case .rest = start { position = min(position, tail) }
            place = Place(position: position, gaps: StreamGaps(start))
        }
        let page = try await log.read(
            after: place.position,
            matching: topics,
            limit: ReaderPages.events,
            byteLimit: ReaderPages.bytes
        )
        place.gaps.read(
            lastRemoval: page.lastRemoval,
            after: EventID(epoch: log.epoch, position: place.position).description
        )
        let gap = place.gaps.take(if: !page.events.isEmpty || page.isLast)
        place.position = page.scannedThrough
        if !page.events.isEmpty { read.add(1, ordering: .relaxed) }
        self.place.withLock { [place] in $0 = place }
        if let gap { onGap?(HistoryGap(after: gap.asked, reason: gap.reason)) }
        return page
    }

    func document() -> JSONValue {
        var members = commonMembers
        members["type"] = .string(readerType)
        return .object(members)
    }
}
