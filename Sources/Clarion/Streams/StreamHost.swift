import CoreMetrics
import EventLog
import MicroHTTP

/// Opens streams and knows how many there are.
final class StreamHost: Sendable {
    let places: StreamPlaces
    let reader: StreamReader

    private let log: any EventLog
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    private let shared: OpenStreams
    private let outboxBytes: Int
    private let names: ObserverNames
    private let nodes: OtherNodes
    private let metrics: HubMetrics

    init(
        log: any EventLog,
        broadcaster: TopicBroadcaster,
        directory: ObserverDirectory,
        names: ObserverNames,
        nodes: OtherNodes,
        shared: OpenStreams,
        reader: StreamReader,
        outboxBytes: Int,
        places: StreamPlaces,
        metrics: HubMetrics
    ) {
        self.log = log
        self.broadcaster = broadcaster
        self.directory = directory
        self.names = names
        self.nodes = nodes
        self.shared = shared
        self.reader = reader
        self.outboxBytes = outboxBytes
        self.places = places
        self.metrics = metrics
    }

    /// What became of a stream that was to be opened.
    enum Opening {
        /// It is open, and starts after that event. The caller hands it to the server, its only owner.
        case open(EventStream, after: EventID)
        /// It may not have its name.
        case refused(ObserverNames.Answer)
        /// There are as many as there may be.
        case full
        /// There are as many of this client as there may be.
        case clientIsFull
    }

    /// Opens a stream: registers it, and only then reads the log's tail, so that no event falls between.
    ///
    /// A stream that has the same name is ended: a client that reconnects leaves no ghost. While the hub stops, the stream itself
    /// is, and says so to its client.
    func open(_ wish: StreamWish, start: StreamStart) -> Opening {
        // Counted first, so that of many at once no more get in.
        let place: StreamPlace
        switch places.take(wish.clients, displacing: wish.name.flatMap(names.stream)?.place) {
        case .granted(let granted): place = granted
        case .full: return .full
        case .clientIsFull: return .clientIsFull
        }
        let stream = EventStream(
            wish,
            outlet: DetachedStream(streams: shared, outboxLimit: outboxBytes),
            reader: reader,
            place: place,
            metrics: metrics
        )
        let answer = names.enter(stream)
        guard case .granted = answer else { return .refused(answer) }
        metrics.streamsOpened.increment()
        stream.hold(broadcaster.register(stream, format: wish.format) { stream, frames in stream.receive(frames) })

        let tail = log.tail
        let position = start.position(tail: tail)
        stream.begin(after: position, tail: tail, gaps: StreamGaps(start))
        return .open(stream, after: EventID(epoch: log.epoch, position: position))
    }

    /// Unregisters a stream: it is gone, and a client that asks again under its id is told to stop.
    ///
    /// - Returns: false if it was gone already.
    func unregister(_ stream: EventStream) -> Bool {
        guard names.retire(stream) else { return false }
        stream.end(.unregistered)
        nodes.retire(stream.caller.key(of: stream.id))
        return true
    }

    /// Ends the streams that hear nothing but a topic that was deleted. Their clients come back when they want to.
    func endAll(of topic: Topic) {
        for listed in directory.listed(ofNothingBut: TopicPattern(topic)) {
            (listed.observer as? EventStream)?.end(.topicDeleted)
        }
    }
}
