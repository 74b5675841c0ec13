extension TypedNotification {
    /// Calls a handler for every post from now on, always or until a bag goes.
    ///
    /// ```swift
    /// MarketChanged.observe(.until(bag)) { info in print(info.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - scope: how long. `.until` a bag that observes this notification already replaces that registration.
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called.
    ///   - handler: gets what was posted.
    @_disfavoredOverload
    public static func observe(
        _ scope: ObservationScope,
        in center: TypedNotificationCenter = .shared,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Info) -> Void
    ) {
        let key = center.key(of: Self.self)
        switch scope {
        case .always:
            center.table.register(key, deliver: deliver) { handler($0.known(as: Box<Info>.self).content) }
        case .until(let bag):
            center.table.register(key, owner: bag, replacing: .sameOwner, deliver: deliver) {
                handler($1.known(as: Box<Info>.self).content)
            }
        }
    }

    /// Calls a handler for every post as long as an object lives, which is not kept alive by it.
    ///
    /// ```swift
    /// MarketChanged.observe(self) { me, info in me.show(info.name) }
    /// ```
    ///
    /// - Parameters:
    ///   - owner: an object; observing again replaces its registration.
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called.
    ///   - handler: gets the owner as a parameter, so that it need not capture it.
    @_disfavoredOverload
    public static func observe<Owner: AnyObject & Sendable>(
        _ owner: Owner,
        in center: TypedNotificationCenter = .shared,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Owner, Info) -> Void
    ) {
        center.table.register(center.key(of: Self.self), owner: owner, replacing: .sameOwner, deliver: deliver) {
            handler($0, $1.known(as: Box<Info>.self).content)
        }
    }

    /// Calls a handler for every post until the token is cancelled or released.
    ///
    /// - Parameters:
    ///   - center: where posts are heard.
    ///   - deliver: where the handler is called.
    ///   - handler: gets what was posted.
    @_disfavoredOverload
    public static func observe(
        in center: TypedNotificationCenter = .shared,
        deliver: Delivery = .immediate,
        _ handler: @escaping @Sendable (Info) -> Void
    ) -> ObservationToken {
        center.table.token(
            for: center.table.register(center.key(of: Self.self), deliver: deliver) {
                handler($0.known(as: Box<Info>.self).content)
            }
        )
    }

    /// Ends the registration of an object or a bag for this notification.
    public static func removeObserver(_ owner: AnyObject, in center: TypedNotificationCenter = .shared) {
        center.table.removeAll(ownedBy: owner, from: center.key(of: Self.self))
    }
}
