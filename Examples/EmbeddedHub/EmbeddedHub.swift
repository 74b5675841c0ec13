import Clarion
import Logging
import Synchronization

/// A notification of the process that is to be a topic as well.
enum PriceChanged: TypedNotification {
    struct Info: Codable, Sendable {
        let name: String
        let price: Int
    }

    static let name = "price.changed"
}

/// A plain object: an observer of topics like any browser.
final class OrderCounter: LifetimeOwner, Sendable {
    let lifetime = Lifetime()
    private let count = Atomic(0)

    var orders: Int { count.load(ordering: .acquiring) }

    init(_ hub: Hub) throws {
        try hub.observe("orders.*", owner: self) { me, event in
            print("heard", event.topic.name, String(decoding: event.data, as: UTF8.self))
            me.count.add(1, ordering: .releasing)
        }
    }

    deinit { print("the counter is gone, and so is its registration") }
}

@main struct EmbeddedHub {
    static func main() async throws {
        let configuration = HubConfiguration(
            server: ServerConfiguration(port: 0, serverName: "clarion"),
            storage: .inMemory,
            durability: .memory
        )
        let hub = try await Hub.start(configuration, logger: Logger(label: "hub") { _ in SwiftLogNoOpLogHandler() })

        do {
            let counter = try OrderCounter(hub)
            for order in 1...2 {
                _ = try await hub.post(EventDraft(topic: Topic("orders.created"), data: Array("order \(order)".utf8)))
            }
            print("orders:", counter.orders)
        }
        _ = try await hub.post(EventDraft(topic: Topic("orders.created"), data: Array("nobody hears".utf8)))

        // From here on a post in the process is an event on the topic, and the other way round.
        try hub.bind(PriceChanged.self, to: "price.changed")
        let prices = PriceChanged.posts
        let streamed = try hub.observe("price.changed") { event in
            print("on the topic:", String(decoding: event.data, as: UTF8.self))
        }
        PriceChanged.post(.init(name: "tea", price: 4))
        let draft = EventDraft(
            topic: try Topic("price.changed"),
            contentType: "application/json",
            data: Array(#"{"name": "coffee", "price": 5}"#.utf8)
        )
        _ = try await hub.post(draft)
        for await info in prices.prefix(2) { print("in the process:", info.name, info.price) }

        do {
            var wrong = draft
            wrong.data = Array(#"{"name": "coffee", "price": "five"}"#.utf8)
            _ = try await hub.post(wrong)
        } catch {
            print("refused:", error.code, error.pointer ?? "")
        }
        streamed.cancel()
        await hub.shutdown()
    }
}
