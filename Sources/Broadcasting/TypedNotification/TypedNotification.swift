/// A notification whose payload the compiler checks.
///
/// ```swift
/// struct MarketChanged: TypedNotification {
///     typealias Info = (name: String, age: Int)
///     static let name = "market.changed"
/// }
///
/// MarketChanged.observe(.always) { info in print(info.name, info.age) }
/// MarketChanged.post(("zzf", 18))
/// ```
///
/// No instance of the type is ever made; an `enum` without cases does as well.
public protocol TypedNotification {
    /// What every post carries: any `Sendable` type, a tuple too, `Void` if there is nothing to say.
    associatedtype Info: Sendable

    /// What identifies the notification.
    ///
    /// Two types of one name and one `Info` are one notification. Two types of one name whose `Info` differs are a mistake:
    /// a debug build stops at the second one, and in a release build they never hear each other.
    static var name: String { get }
}
