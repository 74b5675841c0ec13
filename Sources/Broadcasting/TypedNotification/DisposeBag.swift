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

    private let tokens = Lock<(held: [ObservationToken], sweepSchedule: SweepSchedule)>(([], SweepSchedule()))

    /// Tokens that it holds, those included that were cancelled and not swept yet.
    var tokenCount: Int { tokens.withLock { $0.held.count } }

    /// An empty bag.
    public init() {}

    /// Keeps a token's registration alive as long as the bag, and the token until it is cancelled.
    public func insert(_ token: ObservationToken) {
        // What is swept is released when the lock is free again.
        _ = tokens.withLock { tokens -> [ObservationToken] in
            tokens.held.append(token)
            guard tokens.sweepSchedule.begin(count: tokens.held.count) else { return [] }
            let held = tokens.held
            tokens.held = held.filter { !$0.isCancelled }
            tokens.sweepSchedule.finish(count: tokens.held.count)
            return held
        }
    }
}
