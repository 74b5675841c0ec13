import Broadcasting

/// A notification whose payload the compiler checks.
enum MarketChanged: TypedNotification {
    typealias Info = (name: String, price: Int)
    static let name = "market.changed"
}

/// Carries nothing.
enum MarketClosed: TypedNotification {
    typealias Info = Void
    static let name = "market.closed"
}

/// Observes as long as it lives: the bag goes with it.
final class Ticker: Sendable {
    private let bag = DisposeBag()

    init() {
        MarketChanged.observe(.until(bag)) { info in print("ticker: \(info.name) \(info.price)") }
        MarketClosed.observe(.until(bag)) { print("ticker: closed") }
    }
}

/// `TypedNotification`: a notification centre checked by the compiler.
@main struct Market {
    static func main() async {
        MarketChanged.observe(.always) { info in
            if info.price > 100 { print("alarm: \(info.name)") }
        }

        do {
            let ticker = Ticker()
            withExtendedLifetime(ticker) {
                MarketChanged.post(("zzf", 18))
                MarketChanged.post(("abc", 120))
                MarketClosed.post()
            }
        }
        MarketChanged.post(("zzf", 19))
        print("the ticker is gone")

        // A sequence keeps what was posted until somebody comes for it.
        let posts = MarketChanged.posts
        MarketChanged.post(("zzf", 20))
        MarketChanged.post(("zzf", 200))
        for await info in posts {
            print("sequence: \(info.name) \(info.price)")
            if info.price == 200 { break }
        }

        // A centre of its own, as tests use: nobody out here hears it.
        let center = TypedNotificationCenter()
        MarketChanged.post(("zzf", 1000), in: center)
    }
}
