import JSON
import Locking
import EventLog
import MicroHTTP

/// One client of server-sent events.
///
/// The server holds the only lasting strong reference (`Reply.stream`). When the client is gone, `deinit` runs, and with it
/// the registrations end: nothing else needs telling.
final class EventStream: HubObserver {
    let id: ObserverID
    let kind = ObserverKind.stream
    let topics: [TopicPattern]
    let createdAt: Timestamp
    /// Since when it has its name, among those of other nodes of a cluster.
    let namedAt: Timestamp
    let outlet: DetachedStream
    /// Whose stream it is.
    let caller: Caller

    let format: EventEnvelope

    /// Where it stands in the hub. What it is registered for ends when it leaves, whatever its socket still has to take.
    private enum Membership {
        case new
        case listed(ObserverDirectory.Listing)
        case hearing(Registrations)
        case left
    }

    private let types: EventTypes
    private let remoteAddress: String?
    private let reader: StreamReader
    private let cursor = Lock(StreamCursor())
    private let membership = Lock(Membership.new)
    private let metrics: HubMetrics
    /// Why it ends; nil as long as nothing but its client has ended it.
    private let reason = Lock<StreamEnd?>(nil)
    /// Goes with the stream.
    let place: StreamPlace

    init(
        _ wish: StreamWish,
        outlet: DetachedStream,
        reader: StreamReader,
        place: StreamPlace,
        metrics: HubMetrics
    ) {
        id = wish.name ?? .generate(.stream)
        topics = wish.topics
        types = wish.types
        format = wish.format
        remoteAddress = wish.remoteAddress
        caller = wish.caller
        self.outlet = outlet
        self.reader = reader
        self.place = place
        self.metrics = metrics
        createdAt = .now()
        namedAt = wish.namedAt ?? createdAt
    }

    deinit {
        // One that did not get its name was never open.
        if case .new = membership.withLock({ $0 }) { return }
        metrics.streamsClosed.count(reason.withLock { $0 } ?? .client)
    }

    /// The position of the last event that was handed to the client's socket or waits for it.
    var position: Position { cursor.withLock { $0.position } }

    /// Lists the stream, and has the one of the same id displaced.
    func enter(_ directory: ObserverDirectory) {
        let listing = directory.add(self)
        membership.withLock { membership in
            // It has left already if the hub stops.
            if case .new = membership { membership = .listed(listing) }
        }
    }

    /// Keeps what the stream is registered for, unless it has left already.
    func hold(_ topics: TopicRegistration) {
        membership.withLock { membership in
            guard case .listed(let listing) = membership else { return }
            membership = .hearing(Registrations(topics: topics, directory: listing))
        }
    }

    /// Takes the stream off the directory and has it hear nothing more, at once and for good.
    ///
    /// - Returns: false if it has left before.
    @discardableResult
    func leave() -> Bool {
        // Released outside the lock: what ends with it takes others.
        let former = membership.withLock { membership in
            defer { membership = .left }
            return membership
        }
        if case .left = former { return false }
        return true
    }

    /// Whether it is listed: one that was told to end is gone, though its socket may not be.
    var isRegistered: Bool {
        membership.withLock { membership in
            if case .left = membership { false } else { true }
        }
    }

    /// Starts after a position. The stream must be registered already.
    ///
    /// - Parameters:
    ///   - tail: the log's newest position, read after registering.
    ///   - gaps: what to tell of history that is gone.
    func begin(after position: Position, tail: Position, gaps: StreamGaps) {
        let mustRead = cursor.withLock { $0.begin(after: position, tail: tail, hasGap: gaps.isPending) }
        if mustRead { reader.read(for: self, from: position, gaps: gaps) }
    }

    /// Hears committed events, on the thread that commits. Only enqueues.
    func receive(_ frames: EventFrames) {
        let hearing = cursor.withLock { $0.hear(through: frames.last) }
        guard case .send(let position) = hearing else { return }
        guard types.areAll else { return sendSelected(frames, after: position) }
        guard let chunk = frames.chunk(after: position) else { return }
        switch outlet.send(chunk) {
        case .queued: metrics.deliveries.count(.stream, frames.count(after: position))
        case .full: fallBehind(to: position)
        case .ended: break
        }
    }

    /// The reader's half of the hand-over: returns whether to read on.
    func caughtUp(through position: Position, hasGap: Bool) -> Bool {
        cursor.withLock { $0.caughtUp(through: position, hasGap: hasGap) }
    }

    /// Whether the stream wants an event.
    func selects(_ event: Event) -> Bool {
        types.contain(event)
    }

    /// Ends the stream in order, after what waits; it is gone from the hub at once. Its client comes back in its own time, but at
    /// once after an error: then what should have followed could not be had.
    ///
    /// - Parameter reason: only the first one counts.
    func end(_ reason: StreamEnd) {
        // One whose client has left already is over.
        if !outlet.isEnded { self.reason.withLock { $0 = $0 ?? reason } }
        leave()
        outlet.end(after: reason == .error ? nil : ServerSentEvent.goodbye().whole)
    }

    func endWithHub() { end(.shutdown) }

    func document() -> JSONValue {
        var members = commonMembers
        members["remoteAddress"] = JSONValue(remoteAddress)
        members["connectedAt"] = .string(createdAt.rfc3339)
        members["lastEventId"] = .string(reader.id(at: position))
        members["queuedBytes"] = JSONValue(outlet.queuedBytes)
        return .object(members)
    }

    private func sendSelected(_ frames: EventFrames, after position: Position) {
        var position = position
        for (offset, event) in frames.events.enumerated() where event.position > position {
            if selects(event) {
                switch outlet.send(frames.chunk(at: offset)) {
                case .queued: metrics.deliveries.count(.stream)
                case .full: return fallBehind(to: position)
                case .ended: return
                }
            }
            position = event.position
        }
    }

    private func fallBehind(to position: Position) {
        cursor.withLock { $0.fallBehind(to: position) }
        reader.read(for: self, from: position, gaps: StreamGaps())
    }
}
