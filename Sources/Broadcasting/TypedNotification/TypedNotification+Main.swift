extension TypedNotification {
    /// Calls a handler on the main actor for every post from now on, always or until a bag goes.
    ///
    /// - Parameters:
    ///   - scope: how long. `.until` a bag that observes this notification already replaces that registration.
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets what was posted.
    public static func observe(
        _ scope: ObservationScope,
        in center: TypedNotificationCenter = .shared,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Info) -> Void
    ) {
        observe(scope, in: center, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a handler on the main actor for every post as long as an object lives, which is not kept alive by it.
    ///
    /// ```swift
    /// MarketChanged.observe(self, deliver: .main) { me, info in me.label.text = info.name }
    /// ```
    ///
    /// - Parameters:
    ///   - owner: an object; observing again replaces its registration.
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    public static func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        in center: TypedNotificationCenter = .shared,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Owner, Info) -> Void
    ) {
        observe(owner, in: center, deliver: deliver.delivery, deliver.isolating(handler))
    }

    /// Calls a handler on the main actor for every post until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called; on Linux the main actor needs a main loop, see ``Delivery/main``.
    ///   - handler: gets the post's payload.
    public static func observe(
        in center: TypedNotificationCenter = .shared,
        deliver: MainDelivery,
        _ handler: @escaping @MainActor @Sendable (Info) -> Void
    ) -> ObservationToken {
        observe(in: center, deliver: deliver.delivery, deliver.isolating(handler))
    }
}
