import Foundation
import Posix
import Synchronization
import Testing

@testable import ClusterLog

/// Here, as the server is that the log's conformance is tested with. What goes wrong ends the process.
@Suite(.enabled(if: NATSServer.shared != nil)) struct NATSSubscriptionTests {
    private let address: ClusterAddress
    private let subject = "\(NATSConnection.inbox).\(UInt64.random(in: 0 ... .max))"

    init() throws {
        address = try ClusterAddress("nats://127.0.0.1:\(#require(NATSServer.shared).port)")
    }

    /// Without care libnats 3.4.1 was ended by less than 6,000 of these each time.
    @Test func `subscriptions may end while messages come`() throws {
        let connection = try NATSConnection(to: address, as: "hears")
        let other = try NATSConnection(to: address, as: "sends")
        defer { for connection in [connection, other] { connection.close() } }
        let isDone = Flag()
        let sender = try Thread(name: "sends") { [subject] in
            while !isDone.value.load(ordering: .relaxed) {
                for _ in 0..<100 { try? other.publish([], to: subject) }
                other.flush()
            }
        }
        defer {
            isDone.value.store(true, ordering: .relaxed)
            sender.join()
        }
        for _ in 0..<6_000 {
            let messages = try connection.subscribe(to: subject)
            #expect(try messages.next(atMost: 5_000) != nil)
        }
    }

    @Test func `subscriptions may end after their connection`() throws {
        for _ in 0..<20 {
            let connection = try NATSConnection(to: address, as: "hears")
            let subscriptions = try (0..<3).map { _ in try connection.subscribe(to: subject) }
            try connection.publish([], to: subject)
            connection.close()
            #expect(throws: NATSError.self) {
                for messages in subscriptions { while try messages.next(atMost: 0) != nil {} }
            }
        }
    }

    private final class Flag: Sendable {
        let value = Atomic(false)
    }
}
