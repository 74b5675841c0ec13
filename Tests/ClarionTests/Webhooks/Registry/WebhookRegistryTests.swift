import EventLog
import Foundation
import MicroHTTP
import Testing
import Webhooks

@testable import Clarion

/// What goes wrong when somebody takes the name of a webhook that another still means.
@Suite struct WebhookRegistryTests {
    /// A webhook `x`, in order, as it was when somebody else took its name.
    private func former(in hub: Hub) async throws -> WebhookObserver {
        var settings = WebhookSettings(url: "http://127.0.0.1:8999/hook", topics: ["a"])
        settings.ordered = true
        let id = try ObserverID("x")
        try await hub.register(settings, as: "x")
        let former = try #require(hub.webhooks.find(id))
        // Another by its time, which is of milliseconds.
        while hub.webhooks.find(id)?.createdAt == former.createdAt {
            try await hub.unregister("x")
            try await hub.register(settings, as: "x")
        }
        return former
    }

    @Test func `a replay does not hold the webhook that has taken the name`() async throws {
        try await withHub { hub in
            let former = try await former(in: hub)
            await #expect {
                _ = try await hub.webhooks.replay(former, after: .start, for: .anyone) { _ in }
            } throws: {
                ($0 as? Problem)?.code == "observer-unknown"
            }
            try await hub.post("1", to: "a")
            // It is tried, if only to find that its address is refused.
            try await eventually {
                let stats = try await hub.webhook("x").stats
                return stats.failed + stats.deadLetters > 0
            }
        }
    }

    @Test func `an event is delivered again only to a webhook that is still the caller's`() async throws {
        try await withHub { hub in
            _ = try await former(in: hub)
            let event = try await hub.post("1", to: "a")
            let present = try #require(hub.webhooks.find(try ObserverID("x")))
            await #expect {
                _ = try await hub.webhooks.redeliver(event.id, to: present) { _ throws(Problem) in
                    throw Problem.observerUnknown
                }
            } throws: {
                ($0 as? Problem)?.code == "observer-unknown"
            }
            #expect(try await hub.webhooks.redeliver(event.id, to: present) { _ in })
        }
    }
}
