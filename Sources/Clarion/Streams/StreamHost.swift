import EventLog
import MicroHTTP
import Synchronization

/// Opens streams and knows how many there are.
final class StreamHost: Sendable {
    let gauge = StreamGauge()

    private let log: any EventLog
    private let broadcaster: TopicBroadcaster
    private let directory: ObserverDirectory
    private let writer: StreamWriter
    private let reader: StreamReader
    private let outboxBytes: Int
    private let maximum: Int
    private let names: ObserverNames

    init(
        log: any EventLog,
        broadcaster: TopicBroadcaster,
        directory: ObserverDirectory,
        names: ObserverNames,
        writer: StreamWriter,
        reader: StreamReader,
        outboxBytes: Int,
        maximum: Int
    ) {
        self.log = log
        self.broadcaster = broadcaster
        self.directory = directory
        self.names = names
        self.writer = writer
        self.reader = reader
        self.outboxBytes = outboxBytes
        self.maximum = maximum
    }

    /// Whether a stream would get a name.
    func answer(for name: ObserverID, to caller: Caller) -> ObserverNames.Answer {
        names.answer(for: name, to: caller)
    }

    /// What became of a stream that was to be opened.
    enum Opening {
        /// It is open, and starts after that event. The caller hands it to the response, its only owner.
        case open(EventStream, after: EventID)
        /// It may not have its name.
        case refused(ObserverNames.Answer)
        /// There are as many as there may be.
        case full
    }

    /// Opens a stream: registers it, and only then reads the log's tail, so that no event falls between.
    ///
    /// A stream that has the same name is ended: a client that reconnects leaves no ghost.
    func open(_ wish: StreamWish, start: StreamStart) -> Opening {
        // Counted first, so that of many at once no more get in. One that takes the place of another of its name may go
        // beyond: the other is about to go.
        let count = gauge.open.add(1, ordering: .relaxed).newValue
        guard count <= maximum || wish.name.map(names.hasStream) ?? false else {
            gauge.open.subtract(1, ordering: .relaxed)
            return .full
        }
        let stream = EventStream(
            wish,
            outlet: DetachedStream(writer: writer, outboxLimit: outboxBytes),
            reader: reader,
            gauge: gauge
        )
        let answer = names.enter(stream)
        guard case .granted = answer else { return .refused(answer) }
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
        stream.end()
        return true
    }

    /// Ends the streams that hear nothing but a topic that was deleted. Their clients come back when they want to.
    func endAll(of topic: Topic) {
        let pattern = TopicPattern(topic)
        for case let stream as EventStream in directory.all() where stream.topics.allSatisfy({ $0 == pattern }) {
            stream.end()
        }
    }

    /// Ends every stream in order.
    func endAll() {
        for case let stream as EventStream in directory.all() { stream.end() }
    }
}
