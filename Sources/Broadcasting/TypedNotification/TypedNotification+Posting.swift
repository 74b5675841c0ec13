extension TypedNotification {
    /// Tells every observer of this notification, in order of registration, each where it wished to be called.
    ///
    /// Returns when those with `.immediate` delivery have been called and the calls of all others are handed over.
    ///
    /// ```swift
    /// MarketChanged.post(("zzf", 18))
    /// ```
    public static func post(_ info: Info, in center: TypedNotificationCenter = .shared) {
        center.table.notify(center.key(of: Self.self), Box(info))
    }

    /// The posts from now on.
    ///
    /// ```swift
    /// for await info in MarketChanged.posts { print(info.name) }
    /// ```
    ///
    /// Each access makes a sequence of its own, for one consumer, that keeps what was posted until it is consumed. It is
    /// forgotten when its task is cancelled or it is released, and it ends when the centre goes.
    public static var posts: AsyncStream<Info> { posts() }

    /// The posts from now on.
    ///
    /// - Parameters:
    ///   - center: where posts are heard.
    ///   - bufferingPolicy: what happens to posts that nobody has consumed yet. Without a limit a consumer that never comes
    ///     costs memory for every post.
    public static func posts(
        in center: TypedNotificationCenter = .shared,
        bufferingPolicy: AsyncStream<Info>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Info> {
        let key = center.key(of: Self.self)
        return center.table.stream(bufferingPolicy: bufferingPolicy) { hear in
            center.table.register(key) { hear($0.known(as: Box<Info>.self).content) }
        }
    }
}

extension TypedNotification where Info == Void {
    /// Tells every observer of a notification that carries nothing.
    public static func post(in center: TypedNotificationCenter = .shared) {
        post((), in: center)
    }
}
