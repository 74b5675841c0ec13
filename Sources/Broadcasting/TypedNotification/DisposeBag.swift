import Locking

/// Ends observations when it is released: store it in whatever they should live as long as.
///
/// ```swift
/// final class Ticker {
///     private let bag = DisposeBag()
///
///     init() {
///         MarketChanged.observe(.until(bag)) { info in print(info.name) }
///         bag.insert(price.observe { print($0) })
///     }
/// }
/// ```
public final class DisposeBag: LifetimeOwner, Sendable {
    /// Ends with the bag.
    public let lifetime = Lifetime()

    private let tokens = Lock<[ObservationToken]>([])

    /// An empty bag.
    public init() {}

    /// Keeps a token's registration alive as long as the bag.
    public func insert(_ token: ObservationToken) {
        tokens.withLock { $0.append(token) }
    }
}
