import Broadcasting
import EventLog
import Locking
import Logging

/// One notification bound to one topic. The hub owns it; the centre and the broadcaster hold it weakly.
///
/// No echo: an event that comes back from the log bears the binding's own origin, and the relay does not hear its own posts.
final class NotificationBinding<Notification: TypedNotification & SendableMetatype>: TopicBinding
where Notification.Info: Codable {
    typealias Info = Notification.Info

    private struct State {
        var connections: Connections?
        var isEnded = false
    }

    /// Its registrations, which end when they are released.
    private struct Connections {
        let relay: NotificationRelay<Notification>
        let topic: TopicRegistration
    }

    let topic: Topic
    let notification = NotificationID(Notification.self)

    private let center: TypedNotificationCenter
    private let log: any EventLog
    private let logger: Logger
    private let metrics: HubMetrics
    private let isDraining: @Sendable () -> Bool
    private let origin = EventOrigin()
    private let state = Lock(State())

    /// - Parameter isDraining: whether the hub takes no more posts.
    init(
        topic: Topic,
        center: TypedNotificationCenter,
        log: any EventLog,
        logger: Logger,
        metrics: HubMetrics,
        isDraining: @escaping @Sendable () -> Bool
    ) {
        self.isDraining = isDraining
        self.topic = topic
        self.center = center
        self.log = log
        self.logger = logger
        self.metrics = metrics
    }

    /// Starts to hear both sides.
    func begin(_ broadcaster: TopicBroadcaster) {
        let connections = Connections(
            relay: NotificationRelay(in: center) { [weak self] info in self?.append(info) },
            topic: broadcaster.register(self, for: [TopicPattern(topic)], format: .none, deliver: .background) {
                binding,
                frames in binding.receive(frames)
            }
        )
        state.withLock { state in
            if !state.isEnded { state.connections = connections }
        }
    }

    func end() {
        // Released, and so ended, when the lock is free again.
        _ = state.withLock { state in
            defer { state = State(connections: nil, isEnded: true) }
            return state.connections
        }
    }

    func check(_ data: [UInt8]) throws(InfoMismatch) {
        _ = try InfoCoder.decode(Info.self, from: data)
    }

    /// Hears committed events, on the concurrency pool, one run at a time.
    private func receive(_ frames: EventFrames) {
        for event in frames.events where event.origin != origin {
            guard let relay = state.withLock({ $0.connections?.relay }) else { return }
            do {
                relay.post(try InfoCoder.decode(Info.self, from: event.data))
            } catch {
                // Posts are checked, so it was on its way when the topic was bound.
                logger.warning(
                    "an event of a bound topic does not decode; observers in the process do not hear it",
                    metadata: ["event": "\(event.id)", "topic": "\(topic)", "error": "\(error)"]
                )
            }
        }
    }

    /// Hears a post in the process, on the poster's thread.
    private func append(_ info: Info) {
        do {
            guard !isDraining() else { throw HubError.draining }
            let data = try InfoCoder.encode(info)
            let draft = EventDraft(
                topic: topic,
                contentType: ContentType.json,
                data: data,
                attributes: EventAttributes(hops: HopCount.ofTask).stored,
                origin: origin
            )
            log.append([draft], if: nil) { [topic, logger, metrics] result in
                metrics.posts.count(PostResult(result))
                if case .failure(let error) = result { Self.report(error, topic, logger) }
            }
        } catch {
            metrics.posts.count(.refused)
            Self.report(error, topic, logger)
        }
    }

    private static func report(_ error: any Error, _ topic: Topic, _ logger: Logger) {
        logger.error(
            "a notification could not be posted to its topic",
            metadata: ["notification": .string(Notification.name), "topic": "\(topic)", "error": "\(error)"]
        )
    }
}
