/// A connection of a notification to another world, such as a network, for both ways: it hears every post but its own.
package final class NotificationRelay<Notification: TypedNotification>: Sendable {
    private let center: TypedNotificationCenter
    private let registration: Registration<TypedNotificationCenter.Key>
    private let token: ObservationToken

    /// A relay that hears until it is released.
    ///
    /// - Parameter handler: called on the poster's thread.
    package init(in center: TypedNotificationCenter, _ handler: @escaping @Sendable (Notification.Info) -> Void) {
        self.center = center
        registration = center.table.register(center.key(of: Notification.self)) {
            handler($0.known(as: Box<Notification.Info>.self).content)
        }
        token = center.table.token(for: registration)
    }

    /// Tells every other observer.
    package func post(_ info: Notification.Info) {
        center.table.notify(registration.key, Box(info), skipping: registration)
    }
}
