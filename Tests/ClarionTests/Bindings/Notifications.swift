import EventLog
import MicroHTTP
import Webhooks
@testable import Clarion

/// What the tests bind. A payload that is a tuple cannot be bound: tuples are not `Codable`, so this does not compile:
///
///     enum Pair: TypedNotification {
///         typealias Info = (name: String, age: Int)
///         static let name = "pair"
///     }
///     try hub.bind(Pair.self, to: "pair")
enum MarketChanged: TypedNotification {
    struct Info: Codable, Hashable, Sendable {
        var name: String
        var price: Double
    }

    static let name = "market.changed"
}

enum OrderPlaced: TypedNotification {
    struct Info: Codable, Sendable {
        struct Item: Codable, Sendable {
            var sku: String
            var price: Int
        }

        enum Currency: String, Codable { case euro, dollar }

        var items: [Item]
        var currency: Currency
        var weights: [String: Double]?
        var paid: Bool?
    }

    static let name = "order.placed"
}
