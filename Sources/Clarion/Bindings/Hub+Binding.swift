public import Broadcasting
import EventLog

extension Hub {
    /// Makes a notification of the process and a topic of the hub one: what is posted to either is heard on both.
    ///
    /// ```swift
    /// enum MarketChanged: TypedNotification {
    ///     struct Info: Codable, Sendable { var name: String; var price: Double }
    ///     static let name = "market.changed"
    /// }
    ///
    /// try hub.bind(MarketChanged.self, to: "market.changed")
    /// MarketChanged.post(.init(name: "zzf", price: 18))      // streams and webhooks hear {"name":"zzf","price":18}
    /// ```
    /// ```sh
    /// curl -d '{"name": "zzf", "price": 19}' localhost:8080/topics/market.changed/events   # observers in the process hear it
    /// ```
    ///
    /// From then on
    /// - a post in the process is an event of the topic: JSON without a type. It is encoded on the poster's thread and
    ///   handed to the log in the order of posting. A post cannot throw, so what cannot be encoded or stored (the disk is
    ///   full, the hub shuts down) is logged as an error, and is no event;
    /// - an event of the topic that comes from elsewhere is posted to the centre once it is committed, in sequence order,
    ///   from Swift's concurrency pool: never from the log's thread, so that observers with `.immediate` delivery may take
    ///   their time. Then others wait, in memory;
    /// - a post to the topic, over HTTP or by `post(_:)`, has to be JSON of the notification's `Info`; anything else is
    ///   refused with the code `info-mismatch` before anything is stored.
    ///
    /// Nothing is heard or stored twice. Several hubs may be bound in one centre: each hears what the others are posted.
    /// Events from before the binding are not posted to the centre. Dates are written and read as RFC 3339 has them, with
    /// milliseconds; everything else as Foundation's coders do. A binding ends with the hub, when that shuts down, or by
    /// ``unbind(_:)``; the hub does not keep observers alive, and the centre not the hub. May be called from any thread.
    ///
    /// - Parameters:
    ///   - notification: its `Info` is what the topic's data is.
    ///   - topic: one topic, no pattern.
    ///   - center: where the notification is posted and heard.
    /// - Throws: ``HubError`` with code `topic-invalid`; `topic-reserved` if the topic is the hub's own; `topic-bound` if
    ///   the topic is bound already; `notification-bound` if the notification is, because then a post to one topic would
    ///   also be one to the other; `draining` once the hub shuts down.
    public func bind<Notification: TypedNotification & SendableMetatype>(
        _ notification: Notification.Type,
        to topic: String,
        in center: TypedNotificationCenter = .shared
    ) throws(HubError) where Notification.Info: Codable {
        guard !isDraining else { throw HubError.draining }
        let name: Topic
        do {
            name = try Topic(topic)
        } catch {
            throw HubError(error)
        }
        try HubError.requireFree(name)
        let binding = NotificationBinding<Notification>(
            topic: name,
            center: center,
            log: log,
            logger: logger,
            metrics: metrics,
            isDraining: { [weak self] in self?.isDraining ?? true }
        )
        try bindings.add(binding)
        binding.begin(broadcaster)
    }

    /// Ends the binding of a notification: when this returns, no post in the process becomes an event any more, and events
    /// that have not been posted to the centre are not.
    ///
    /// - Returns: whether it was bound.
    @discardableResult
    public func unbind<Notification: TypedNotification>(_ notification: Notification.Type) -> Bool {
        bindings.remove(NotificationID(notification))
    }
}
