import Broadcasting
import EventLog
import Locking
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
    private let naming = Lock(())
    private let retired = Lock(RetiredNames())

    init(
        log: any EventLog,
        broadcaster: TopicBroadcaster,
        directory: ObserverDirectory,
        writer: StreamWriter,
        reader: StreamReader,
        outboxBytes: Int
    ) {
        self.log = log
        self.broadcaster = broadcaster
        self.directory = directory
        self.writer = writer
        self.reader = reader
        self.outboxBytes = outboxBytes
    }

    /// Opens a stream: registers it, and only then reads the log's tail, so that no event falls between.
    ///
    /// A stream that has the same name is ended: a client that reconnects leaves no ghost.
    ///
    /// - Returns: the stream, and the position that it starts after. The caller hands it to the response, its only owner.
    func open(_ wish: StreamWish, start: StreamStart) -> (stream: EventStream, after: EventID) {
        let stream = EventStream(
            wish,
            outlet: DetachedStream(writer: writer, outboxLimit: outboxBytes),
            reader: reader,
            gauge: gauge
        )
        let registered = broadcaster.register(stream, format: wish.format) { stream, frames in stream.receive(frames) }
        stream.hold(Registrations(topics: registered, directory: enter(stream)))

        let tail = log.tail
        let position = start.position(tail: tail)
        stream.begin(after: position, tail: tail, gaps: StreamGaps(start))
        return (stream, EventID(epoch: log.epoch, position: position))
    }

    /// Enters a stream into the directory and ends the one whose name it takes, if any.
    private func enter(_ stream: EventStream) -> ObservationToken {
        // One at a time: of two that come at once with one name, the second must find the first. The directory's and
        // the displaced stream's own locks are taken inside; nothing that holds them comes here.
        naming.withLock { _ in
            let displaced = directory.find(stream.id) as? EventStream
            let token = directory.add(stream)
            displaced?.end()
            return token
        }
    }

    /// Unregisters a stream: it ends, and a client that asks again under its id is told to stop.
    func unregister(_ stream: EventStream) {
        retired.withLock { $0.insert(stream.id, now: .now()) }
        stream.end()
    }

    /// Whether the stream of a name was unregistered within the last day.
    func isRetired(_ name: ObserverID) -> Bool {
        retired.withLock { $0.contains(name, now: .now()) }
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
