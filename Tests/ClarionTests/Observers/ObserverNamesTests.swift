import EventLog
import MicroHTTP
import Webhooks
import Synchronization
import Testing

@testable import Clarion

/// Names of streams, from inside the process, where the gauge is seen.
@Suite(.serialized) struct ObserverNamesTests {
    private func open(_ name: String, _ hub: Hub) async throws -> TestClient {
        let client = try TestClient(port: hub.port)
        client.send(
            "GET /topics/a/events?observer=\(name) HTTP/1.1\r\n"
                + "Host: localhost\r\nAccept: text/event-stream\r\n\r\n"
        )
        try await eventually { client.received().contains(": clarion") }
        return client
    }

    private func open(in hub: Hub) -> Int { hub.streams.places.count }

    @Test func theGaugeAndTheDirectoryAgree() async throws {
        try await withHub { hub in
            var clients: [TestClient] = []
            for number in 0..<30 { clients.append(try await open("n\(number % 3)", hub)) }
            try await eventually { open(in: hub) == 3 }
            #expect(hub.directory.all().map(\.id.description).sorted() == ["n0", "n1", "n2"])
            for number in 0..<3 {
                #expect(try await TestAnswer.to("DELETE", "/observers/n\(number)", of: hub).status == 204)
                #expect(try await TestAnswer.to("DELETE", "/observers/n\(number)", of: hub).status == 404)
                #expect(hub.directory.all().count == 2 - number)
            }
            try await eventually { open(in: hub) == 0 }
            for client in clients { client.close() }
        }
    }

    @Test func anIdIsReservedWhileItsWebhookIsRegistered() async throws {
        try await withHub { hub in
            let name = try ObserverID("twin")
            try await hub.names.reserving(name) {
                // Twice: the first to end must not free it for the second.
                try await hub.names.reserving(name) {}
                guard case .taken = hub.names.answer(for: name, to: .anyone) else {
                    Issue.record("it is not reserved")
                    return
                }
            }
            guard case .granted = hub.names.answer(for: name, to: .anyone) else {
                Issue.record("it is reserved for good")
                return
            }
        }
    }
}
