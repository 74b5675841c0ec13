import Broadcasting
import EventLog

/// A topic whose data is that of a notification, whichever notification it is.
protocol TopicBinding: AnyObject, Sendable {
    var topic: Topic { get }
    var notification: NotificationID { get }

    /// Checks that data decodes into the notification's payload.
    func check(_ data: [UInt8]) throws(InfoMismatch)

    /// Ends the binding, at once.
    func end()
}

/// What identifies a notification: two types of one name and one payload are one notification.
struct NotificationID: Hashable, Sendable {
    private let name: String
    private let info: ObjectIdentifier

    init<Notification: TypedNotification>(_ type: Notification.Type) {
        name = Notification.name
        info = ObjectIdentifier(Notification.Info.self)
    }
}
